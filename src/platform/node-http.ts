/**
 * Node's HTTP, taken as CommonJS takes it. An `import` of `node:http` reads every export once, and some of those load a whole
 * HTTP client that nothing here uses: 30 ms in every thread at its start, and the memory for it.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
