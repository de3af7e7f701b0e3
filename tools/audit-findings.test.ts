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

test('a registry without the service is told from one that found nothing', () => {
  const refused = { message: '405 Method Not Allowed - POST https://registry.example/', statusCode: 405 };
  assert.deepEqual(readAudit(JSON.stringify(refused), []), { isAvailable: false, why: refused.message });
  for (const answer of ['', 'not JSON', 'null', '[]', '{"vulnerabilities":null}']) {
    assert.deepEqual(readAudit(answer, []), { isAvailable: false, why: 'no answer' }, answer);
  }
});
