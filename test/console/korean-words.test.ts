/** The words of the trade, which the console uses wherever the thing is meant. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ko } from '../../console/src/words/ko.ts';
import { REPORT_WORDS } from '../../src/domain/korean/report-words.ts';
import { REPORT_CODES } from '../../src/domain/reports/report-codes.ts';

test('has the words that people of the trade use', () => {
  assert.deepEqual(
    [
      ko.live.waiting,
      ko.common.network,
      ko.nav.observe,
      ko.routes.weight,
      ko.carriers.test,
      ko.webhooks.test,
      ko.simulator.reset,
      `${ko.theme.light}/${ko.theme.dark}`,
      ko.routes.explainTitle,
      ko.accounts.sendRate,
      ko.accounts.reportRecords,
      ko.compose.code,
      REPORT_WORDS[REPORT_CODES['63020']],
    ],
    [
      '결과 수신 대기',
      '이통사',
      '모니터링',
      '가중치',
      '연결 테스트',
      '테스트 전송',
      '장애 해제',
      '라이트/다크',
      '라우팅 확인',
      '초당 발송 한도',
      '결과 보고 단위',
      '코드로 보내기',
      '채널 차단',
    ],
  );
});

test('calls a network 이통사 and uses none of the words that these replaced', () => {
  const words = readFileSync(new URL('../../console/src/words/ko.ts', import.meta.url), 'utf8');
  assert.ok(words.includes('서킷 브레이커'));
  for (const word of ['통신사', '예약·재시도', '밝게', '어둡게', '메시지 경로 확인']) {
    assert.ok(!words.includes(word), word);
  }
});
