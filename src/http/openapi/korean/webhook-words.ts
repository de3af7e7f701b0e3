/** The descriptions of webhook deliveries and their attempts in Korean, by their English. */
export const WEBHOOK_WORDS: Readonly<Record<string, string>> = {
  'Show a webhook delivery': '웹훅 전달 내역 조회',
  'Its attempts, and what went back and forth in the last three of them.':
    '시도 내역과 최근 세 번의 요청·응답 내용입니다.',
  'Id of the delivery: the webhook-id of the record.': '전달 ID: 결과의 webhook-id.',
  'Send one record now': '결과 하나를 지금 전달',
  'Before all others of its account, even if its receiver keeps failing. One that was delivered or given up is tried for three more days.':
    '수신 서버가 계속 실패하더라도 계정의 다른 결과보다 먼저 전달합니다. 이미 전달했거나 포기한 결과는 3일간 더 시도합니다.',
  'URL that was called; without its path and query for other roles than admin.':
    '호출한 주소. admin이 아니면 경로와 쿼리를 제외합니다.',
  'As they were sent; of signatures only the beginning.': '보낸 그대로의 헤더. 서명은 앞부분만 표시합니다.',
  'The record as it was sent; null when it is not kept any more.':
    '보낸 그대로의 결과. 더 이상 보관하지 않으면 null.',
  'At most 20; cookies and the like are hidden.': '최대 20개. 쿠키 등은 숨깁니다.',
  'Its first 1000 characters, of a success 200. Numbers in it are masked.':
    '처음 1000자(성공은 200자). 번호는 마스킹됩니다.',
  'Characters of the whole body.': '전체 본문의 글자 수.',
  'Milliseconds from the start until the request was on a connected socket; null if it did not come so far.':
    '시작부터 연결된 소켓에 요청을 보낼 때까지의 시간(ms). 도달하지 못했으면 null.',
  'Milliseconds from the start until the head of the answer was there; null if it did not come so far.':
    '시작부터 응답 헤더를 받을 때까지의 시간(ms). 도달하지 못했으면 null.',
  'What went back and forth. Null where it is not kept: of the last three attempts only.':
    '요청과 응답 내용. 최근 세 번의 시도만 보관하며 없으면 null.',
  'Send what was not delivered of a time range': '기간 내 미전달 결과 전달',
  'Records reported in the range that wait or were given up, as soon as nothing else is due for the account, instead of at their next attempt. One that was given up is tried for three more days.':
    '기간 내 결과 중 대기 중이거나 포기한 것을 다음 시도까지 기다리지 않고, 계정에 지금 보낼 다른 결과가 없을 때 바로 전달합니다. 포기한 결과는 3일간 더 시도합니다.',
  'pending: waits for its first attempt. retrying: failed, and waits for another. off: waits because the receiver answered 410.':
    'pending: 첫 시도 대기. retrying: 실패하여 다음 시도 대기. off: 수신 서버가 410으로 응답하여 대기.',
  'Attempts so far; a replay and a retry after the end count anew.':
    '지금까지의 시도 횟수. 다시 전달하거나 끝난 뒤 재시도하면 새로 셉니다.',
  'What a record that was not delivered waits for. time: its next attempt. turn: it is due, others are before it. call: a node has it in hand. circuit: the receiver keeps failing and is called again at the next attempt. webhook: nothing is sent to this webhook now.':
    '전달되지 않은 결과가 기다리는 것. time: 다음 시도 시각. turn: 차례. call: 노드가 처리 중. circuit: 수신 서버가 계속 실패하여 다음 시도에 다시 호출. webhook: 현재 이 웹훅으로 전달하지 않음.',
  'Next attempt, never in the past; ISO 8601 with the configured offset.':
    '다음 시도 시각. 과거가 아니며, 설정된 시간대의 ISO 8601 시각입니다.',
  'Why nothing is sent to this webhook now.': '현재 이 웹훅으로 전달하지 않는 이유.',
  'When the calls were stopped, ISO 8601 with the configured offset.':
    '호출을 중단한 시각. 설정된 시간대의 ISO 8601 시각입니다.',
  'Calls that failed in a row.': '연속으로 실패한 호출 수.',
  'What was wrong with the last one.': '마지막 호출의 오류.',
  'When that was.': '해당 시각.',
  'When the receiver is called again; null: with the next record that falls due.':
    '수신 서버를 다시 호출할 시각. null이면 다음 차례의 결과와 함께 호출합니다.',
  'The receiver keeps failing: it is called again after a pause, once. Null while all is well.':
    '수신 서버가 계속 실패하면 잠시 멈춘 뒤 한 번 다시 호출합니다. 정상이면 null.',
  'End of its attempts, ISO 8601 with the configured offset.':
    '시도를 끝내는 시각. 설정된 시간대의 ISO 8601 시각입니다.',
  'Up to 20 attempts, newest first.': '최대 20번의 시도를 최신순으로.',
  'open: the last calls failed, and only a probe is sent now and then. See trouble.':
    'open: 최근 호출이 실패하여 가끔 확인 호출만 보냅니다. trouble 참고.',
};
