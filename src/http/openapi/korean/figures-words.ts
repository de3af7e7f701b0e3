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
  'Statistics of the traffic': '발송 통계',
  "Messages by when they were accepted, summed over all nodes and counted within a minute. By hour they are kept for 35 days, by day for 400. A range is widened to whole hours. One that begins before hours are kept is widened to whole days. Days begin at midnight in the gateway's time zone; after a change of the zone those before it keep their dates.":
    '접수 시각 기준의 메시지 통계입니다. 모든 노드를 합산하며 1분 안에 집계됩니다. 시간별로 35일, 일별로 400일간 보관합니다. 기간은 시간 단위로 넓혀지며, 시간별 통계의 보관 기간 전에 시작하면 일 단위로 넓혀집니다. 하루는 게이트웨이 시간대의 자정에 시작하고, 시간대를 바꾸면 그 전의 날은 원래 날짜를 유지합니다.',
  'From this time on. By default the start of today.': '이 시각부터. 기본값은 오늘의 시작.',
  'Before this time; by default now.': '이 시각 전까지. 기본값은 현재.',
  'A row for each combination of these: hour or day, and up to three of account, sender, channel, carrier, code; separated by commas. At most 5000 rows.':
    '다음을 조합한 값마다 한 행: hour 또는 day, 그리고 account, sender, channel, carrier, code 중 최대 세 개. 쉼표로 구분하며 최대 5000행입니다.',
  'Only from this sender.': '이 발신번호만.',
  'Only of this channel.': '이 채널만.',
  'Only by this carrier.': '이 중계사만.',
  'Only with this report code.': '이 결과 코드만.',
  'Start of the range.': '기간의 시작.',
  'End of the range.': '기간의 끝.',
  'What was accepted before is counted; null if nothing is yet.':
    '이 시각 전에 접수된 것까지 집계되었습니다. 아직 없으면 null.',
  'By time, otherwise the largest first.': '시간순. 시간이 없으면 큰 순서.',
  'There were more rows; the largest are shown.': '행이 더 있으며 큰 것만 표시합니다.',
  'Throughput and throttling of carriers': '중계사별 처리량과 속도 제한',
  'What went to each carrier, summed over all nodes. By minute it is kept for 2 days (at most a day at once), by hour for 35, by day for 400. A stretch in which nothing went to a carrier has no bucket.':
    '중계사별 전송량을 모든 노드에 걸쳐 합산합니다. 분별로 2일(한 번에 최대 하루), 시간별로 35일, 일별로 400일간 보관합니다. 전송이 없는 구간은 생략합니다.',
  'From this time on. By default the last hour.': '이 시각부터. 기본값은 최근 한 시간.',
  'Length of each bucket; default minute.': '구간의 길이. 기본값 minute.',
  'The busiest first.': '처리량이 많은 순서.',
  'Messages accepted, by channel and sender of their first channel message; 0 by code, or of one code.':
    '접수한 메시지. 첫 채널 메시지의 채널과 발신번호 기준이며, 코드별이거나 코드를 지정하면 0입니다.',
  'Channel messages that ended.': '완료된 채널 메시지.',
  'Messages that ended, by their last channel message.': '완료된 메시지. 마지막 채널 메시지 기준.',
  'Channel messages that failed.': '실패한 채널 메시지.',
  'Channel messages whose deadline passed without a receipt.': '결과 통보 없이 제한 시간이 지난 채널 메시지.',
  'Parts of the channel messages that ended; 0 for one that never left.':
    '완료된 채널 메시지의 건수. 발송되지 않았으면 0.',
  'Median of the time from accept to the end, of delivered messages.':
    '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 중앙값.',
  '95th percentile of the time from accept to the end, of delivered messages.':
    '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 p95.',
  '99th percentile of the time from accept to the end, of delivered messages.':
    '수신 성공한 메시지의 접수부터 완료까지 걸린 시간의 p99.',
  'Start of the hour or day.': '시간 또는 일의 시작.',
  'Account.': '계정.',
  'Sender number or profile; empty where the text was removed before it was counted, `*` for all beyond the first 200 of an account and day.':
    '발신번호 또는 발신 프로필. 집계 전에 내용이 삭제되었으면 비어 있고, 계정과 일자별로 200개를 넘는 나머지는 `*`입니다.',
  'Channel.': '채널.',
  'Carrier; empty where none was found.': '중계사. 찾지 못했으면 비어 있습니다.',
  'Carrier.': '중계사.',
  'Submits that it took.': '접수한 전송.',
  'Submits that it refused.': '거절한 전송.',
  'Submits that it refused as too fast; they are sent later.':
    '속도 초과로 거절한 전송. 나중에 다시 보냅니다.',
  'By time.': '시간순.',
};
