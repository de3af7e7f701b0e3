/**
 * A call of the API as a program in five languages. Secrets are read from the environment, so that no sample holds one. Each
 * sample needs only what its language brings along; the Python one needs `requests`.
 */
export const SAMPLE_LANGUAGES = ['curl', 'TypeScript', 'Python', 'Java', 'Go'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

export interface SampleCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly SampleHeader[];
  readonly body: SampleBody | undefined;
  /** What the answer is read as. */
  readonly answer: 'json' | 'text' | 'file';
}

/** `env` names the variable that holds the value; `value` is then what stands before it. */
export interface SampleHeader {
  readonly name: string;
  readonly value: string;
  readonly env?: string;
}

export type SampleBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly type: string; readonly value: string }
  | { readonly kind: 'file'; readonly part: string; readonly name: string };

export function sampleOf(language: SampleLanguage, call: SampleCall): string {
  const write = { curl, TypeScript: typescript, Python: python, Java: java, Go: go }[language];
  return write(call).join('\n');
}

/** Bodies say what they are; the boundary of a multipart body is for the library to choose. */
function headersOf({ headers, body }: SampleCall): readonly SampleHeader[] {
  if (body === undefined || body.kind === 'file') return headers;
  return [...headers, { name: 'Content-Type', value: body.kind === 'json' ? 'application/json' : body.type }];
}

function textOf(body: Exclude<SampleBody, { readonly kind: 'file' }>): string {
  return body.kind === 'json' ? JSON.stringify(body.value, null, 2) : body.value;
}

function curl(call: SampleCall): string[] {
  const { method, url, body, answer } = call;
  const lines = [`curl -X ${method} ${shellWord(url)}`];
  for (const { name, value, env } of headersOf(call)) {
    lines.push(env ? `-H "${name}: ${value}$${env}"` : `-H ${shellWord(`${name}: ${value}`)}`);
  }
  if (body?.kind === 'json') lines.push(`-d ${shellWord(textOf(body))}`);
  // -d takes the ends of lines away from a file, not from a text; it is the same everywhere.
  if (body?.kind === 'text') lines.push(`--data-binary ${shellWord(body.value)}`);
  if (body?.kind === 'file') lines.push(`-F ${shellWord(`${body.part}=@${body.name}`)}`);
  if (answer === 'file') lines.push('-o answer.bin');
  return lines.map(
    (line, index) => `${index > 0 ? '  ' : ''}${line}${index < lines.length - 1 ? ' \\' : ''}`,
  );
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function typescript(call: SampleCall): string[] {
  const { method, url, body, answer } = call;
  const headers = headersOf(call).map(({ name, value, env }) => {
    const key = /^[A-Za-z]\w*$/.test(name) ? name : quoted(name);
    if (env === undefined) return `    ${key}: ${quoted(value)},`;
    return value === ''
      ? `    ${key}: process.env.${env} ?? '',`
      : `    ${key}: \`${value}\${process.env.${env}}\`,`;
  });
  const reads = {
    json: ['console.log(response.status, await response.json());'],
    text: ['console.log(response.status, await response.text());'],
    file: [`await writeFile('answer.bin', await response.bytes());`],
  };
  return [
    ...(answer === 'file' ? [`import { writeFile } from ${quoted('node:fs/promises')};`, ''] : []),
    ...(body?.kind === 'file'
      ? [
          `import { openAsBlob } from ${quoted('node:fs')};`,
          '',
          'const form = new FormData();',
          `form.append(${quoted(body.part)}, await openAsBlob(${quoted(body.name)}), ${quoted(body.name)});`,
          '',
        ]
      : []),
    `const response = await fetch(${quoted(url)}, {`,
    `  method: ${quoted(method)},`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body?.kind === 'json' ? [`  body: JSON.stringify(${indented(scriptLiteral(body.value), 2)}),`] : []),
    ...(body?.kind === 'text' ? [`  body: ${quoted(body.value)},`] : []),
    ...(body?.kind === 'file' ? ['  body: form,'] : []),
    '});',
    ...reads[answer],
  ];
}

function python(call: SampleCall): string[] {
  const { method, url, body, answer } = call;
  const headers = headersOf(call).filter(({ name }) => body?.kind === 'text' || name !== 'Content-Type');
  const usesEnvironment = headers.some(({ env }) => env !== undefined);
  const lines = headers.map(({ name, value, env }) => {
    if (env === undefined) return `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`;
    const variable = `os.environ["${env}"]`;
    return `        ${JSON.stringify(name)}: ${value === '' ? variable : `${JSON.stringify(value)} + ${variable}`},`;
  });
  const reads = {
    json: ['print(response.status_code, response.json())'],
    text: ['print(response.status_code, response.text)'],
    file: ['with open("answer.bin", "wb") as file:', '    file.write(response.content)'],
  };
  return [
    ...(usesEnvironment ? ['import os', ''] : []),
    'import requests',
    '',
    'response = requests.request(',
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    ...(lines.length > 0 ? ['    headers={', ...lines, '    },'] : []),
    ...(body?.kind === 'json' ? [`    json=${indented(pythonLiteral(body.value), 4)},`] : []),
    ...(body?.kind === 'text' ? [`    data=${JSON.stringify(body.value)}.encode(),`] : []),
    ...(body?.kind === 'file'
      ? [`    files={${JSON.stringify(body.part)}: open(${JSON.stringify(body.name)}, "rb")},`]
      : []),
    '    timeout=30,',
    ')',
    ...reads[answer],
  ];
}

function java(call: SampleCall): string[] {
  const { method, url, body, answer } = call;
  const own: SampleHeader[] =
    body?.kind === 'file'
      ? [{ name: 'Content-Type', value: `multipart/form-data; boundary=${BOUNDARY}` }]
      : [];
  const headers = [...headersOf(call), ...own].map(({ name, value, env }) => {
    const read = `System.getenv(${JSON.stringify(env)})`;
    const whole =
      env === undefined ? JSON.stringify(value) : value === '' ? read : `${JSON.stringify(value)} + ${read}`;
    return `            .header(${JSON.stringify(name)}, ${whole})`;
  });
  const handler =
    answer === 'file' ? 'BodyHandlers.ofFile(Path.of("answer.bin"))' : 'BodyHandlers.ofString()';
  return [
    'import java.net.URI;',
    'import java.net.http.HttpClient;',
    'import java.net.http.HttpRequest;',
    'import java.net.http.HttpRequest.BodyPublishers;',
    'import java.net.http.HttpResponse.BodyHandlers;',
    ...(answer === 'file' || body?.kind === 'file' ? ['import java.nio.file.Path;'] : []),
    '',
    'public class Example {',
    '    public static void main(String[] args) throws Exception {',
    ...javaBody(body),
    '        var request = HttpRequest.newBuilder()',
    `            .uri(URI.create(${JSON.stringify(url)}))`,
    ...headers,
    `            .method(${JSON.stringify(method)}, ${body ? 'body' : 'BodyPublishers.noBody()'})`,
    '            .build();',
    `        var response = HttpClient.newHttpClient().send(request, ${handler});`,
    '        System.out.println(response.statusCode() + " " + response.body());',
    '    }',
    '}',
  ];
}

const BOUNDARY = 'bongsu-boundary';

function javaBody(body: SampleBody | undefined): string[] {
  if (body === undefined) return [];
  if (body.kind === 'text')
    return [`        var body = BodyPublishers.ofString(${JSON.stringify(body.value)});`];
  if (body.kind === 'json') {
    // In a text block a backslash and three quotes in a row have a meaning of their own.
    const json = textOf(body).replaceAll('\\', '\\\\').replaceAll('"""', '\\"""');
    return [
      '        var body = BodyPublishers.ofString("""',
      indented(`            ${json}`, 12),
      '            """);',
    ];
  }
  const head = `--${BOUNDARY}\\r\\nContent-Disposition: form-data; name=\\"${body.part}\\"; filename=\\"${body.name}\\"\\r\\n\\r\\n`;
  return [
    '        var body = BodyPublishers.concat(',
    `            BodyPublishers.ofString("${head}"),`,
    `            BodyPublishers.ofFile(Path.of(${JSON.stringify(body.name)})),`,
    `            BodyPublishers.ofString("\\r\\n--${BOUNDARY}--\\r\\n"));`,
  ];
}

function go(call: SampleCall): string[] {
  const { method, url, body, answer } = call;
  const headers = headersOf(call).map(({ name, value, env }) => {
    const read = `os.Getenv(${JSON.stringify(env)})`;
    const whole =
      env === undefined ? JSON.stringify(value) : value === '' ? read : `${JSON.stringify(value)}+${read}`;
    return `\trequest.Header.Set(${JSON.stringify(name)}, ${whole})`;
  });
  const usesOs =
    answer === 'file' || body?.kind === 'file' || headersOf(call).some(({ env }) => env !== undefined);
  const packages = [
    ...(body?.kind === 'file' ? ['bytes'] : []),
    'fmt',
    'io',
    ...(body?.kind === 'file' ? ['mime/multipart'] : []),
    'net/http',
    ...(usesOs ? ['os'] : []),
    ...(body !== undefined && body.kind !== 'file' ? ['strings'] : []),
  ];
  return [
    'package main',
    '',
    'import (',
    ...packages.map(name => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...goBody(body),
    `\trequest, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, ${goBodyName(body)})`,
    ...GO_PANIC,
    ...headers,
    ...(body?.kind === 'file' ? ['\trequest.Header.Set("Content-Type", form.FormDataContentType())'] : []),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...GO_PANIC,
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    ...GO_PANIC,
    ...(answer === 'file'
      ? ['\tfmt.Println(response.Status, os.WriteFile("answer.bin", answer, 0o644))']
      : ['\tfmt.Println(response.Status, string(answer))']),
    '}',
  ];
}

const GO_PANIC = ['\tif err != nil {', '\t\tpanic(err)', '\t}'];

function goBodyName(body: SampleBody | undefined): string {
  if (body === undefined) return 'nil';
  return body.kind === 'file' ? '&body' : 'body';
}

function goBody(body: SampleBody | undefined): string[] {
  if (body === undefined) return [];
  if (body.kind !== 'file') {
    const text = textOf(body);
    // A raw string cannot hold a backquote.
    return [`\tbody := strings.NewReader(${text.includes('`') ? JSON.stringify(text) : `\`${text}\``})`];
  }
  return [
    `\tfile, err := os.ReadFile(${JSON.stringify(body.name)})`,
    ...GO_PANIC,
    '\tvar body bytes.Buffer',
    '\tform := multipart.NewWriter(&body)',
    `\tpart, err := form.CreateFormFile(${JSON.stringify(body.part)}, ${JSON.stringify(body.name)})`,
    ...GO_PANIC,
    '\tpart.Write(file)',
    '\tform.Close()',
  ];
}

/** A string in single quotes, as TypeScript is written here. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", String.raw`\'`)}'`;
}

/** JSON as people write it in TypeScript: keys unquoted where possible. */
function scriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}

function pythonLiteral(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = '    '.repeat(depth + 1);
  const entries = Array.isArray(value)
    ? value.map(each => `${inner}${pythonLiteral(each, depth + 1)},`)
    : Object.entries(value).map(
        ([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(each, depth + 1)},`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${entries.join('\n')}\n${'    '.repeat(depth)}${close}`;
}

/** All lines but the first further in. */
function indented(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}
