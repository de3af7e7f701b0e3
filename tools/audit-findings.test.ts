import assert from 'node:assert/strict';
import test from 'node:test';
import { readAudit } from './audit-findings.ts';

const FOUND = {
  vulnerabilities: {
    pg: { name: 'pg', severity: 'critical', range: '<9' },
    yaml: { name: 'yaml', severity: 'moderate', range: '<3' },
    vite: { name: 'vite', severity: 'high', range: '*' },
  },
};

test('findings that are high or critical count where the package runs in production', () => {
  assert.deepEqual(readAudit(JSON.stringify(FOUND), ['pg', 'yaml']), {
    isAvailable: true,
    severe: ['pg <9: critical'],
    others: ['yaml <3: moderate', 'vite *: high'],
  });
  const none = { isAvailable: true, severe: [], others: [] };
  assert.deepEqual(readAudit('{"auditReportVersion":2,"vulnerabilities":{}}', ['pg']), none);
});

test('a registry without audits is told from a call that failed', () => {
  const refused = { message: '405 Method Not Allowed - POST https://registry.example/', statusCode: 405 };
  assert.deepEqual(readAudit(JSON.stringify(refused), []), {
    isAvailable: false,
    isOffered: false,
    why: refused.message,
  });
  const broken = { message: '503 Service Unavailable', statusCode: 503 };
  for (const [answer, why] of [
    ['', 'no answer'],
    ['not JSON', 'no answer'],
    ['null', 'no answer'],
    ['[]', 'no answer'],
    ['{"vulnerabilities":null}', 'no answer'],
    ['{"message":"connect ECONNREFUSED"}', 'connect ECONNREFUSED'],
    [JSON.stringify(broken), broken.message],
  ] as const) {
    assert.deepEqual(readAudit(answer, []), { isAvailable: false, isOffered: true, why }, answer);
  }
});
