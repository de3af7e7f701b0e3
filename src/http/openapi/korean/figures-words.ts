/** The descriptions of the failure desk, of resending and of statistics in Korean, by their English. */
export const FIGURES_WORDS: Readonly<Record<string, string>> = {
  'The whole number of the recipient, with or without dashes and +82.':
    '수신번호 전체. 하이픈이나 +82가 있어도 됩니다.',
  'State of the current step, or several separated by commas.':
    '현재 단계의 상태. 여러 개는 쉼표로 구분합니다.',
  'Channel of the step that was the last.': '마지막 단계의 채널.',
  'Export found messages as CSV': '검색한 메시지를 CSV로 내보내기',
  'The same filters as findMessages. At most 10,000 rows; where there is more, the header Bongsu-Next has the cursor of the next part. Numbers are masked as in findMessages. Recorded in the audit log.':
    '조건은 findMessages와 같습니다. 최대 10,000행이며, 더 있으면 Bongsu-Next 헤더에 다음 부분의 커서가 있습니다. 번호는 findMessages와 같이 마스킹되고, 감사 로그에 기록됩니다.',
  'Send failed messages again': '실패한 메시지 재발송',
  'Messages that failed or expired, each under a new key that is linked to the old one: as they are, or all of them as the given copy. Recipient, replaceWords and reference are those of each message. To repeat a call is safe: a message that was sent again is refused, unless "again" is true.':
    '실패하거나 만료된 메시지를 이전 메시지와 연결된 새 키로 다시 보냅니다. 그대로 보내거나, 수정한 사본으로 모두 보낼 수 있습니다. 수신번호, replaceWords, 참조값은 각 메시지의 값을 씁니다. 호출을 반복해도 안전합니다. 이미 재발송한 메시지는 "again"이 true가 아니면 거절합니다.',
  'Keys of messages.': '메시지 키 목록.',
  'Also those that were sent again before.': '이미 재발송한 메시지도 포함.',
  'Also those that turned out to be delivered after they had ended.':
    '처리가 끝난 뒤에 수신이 확인된 메시지도 포함.',
  'What is sent instead; its recipients and its reference do not count.':
    '대신 보낼 내용. 여기의 수신자와 참조값은 쓰지 않습니다.',
  'The send, as in /v1/send/{kind}.': '/v1/send/{kind}의 발송 종류.',
  'Its body.': '본문.',
  'as they are': '그대로',
  'through a copy': '수정한 사본으로',
  'One for each message, in the order given.': '요청한 순서대로 메시지마다 하나씩.',
  'When it happened, with milliseconds.': '발생 시각(밀리초 포함).',
  'The message in whose place it was sent.': '이 메시지가 대신하는 이전 메시지.',
  'The last message that was sent in its place.': '이 메시지 대신 마지막으로 재발송한 메시지.',
  'Key of the old message.': '이전 메시지의 키.',
  'Key of the new message; null if it was not sent.': '새 메시지의 키. 발송하지 않았으면 null.',
  'Text of the code, or the reason.': '코드의 설명 또는 이유.',
  'The messages that were sent in its place, oldest first.':
    '이 메시지 대신 재발송한 메시지를 오래된 것부터.',
  'What was accepted before is counted; null if nothing is yet.':
    '이 시각 전에 접수된 것까지 집계되었습니다. 아직 없으면 null.',
  'Channel messages that ended.': '완료된 채널 메시지.',
};
