/** An account's own messages, and cancelling. */
export const MESSAGE_WORDS: Readonly<Record<string, string>> = {
  'Accepted from this time on; of a reserved message the time for which it was first reserved.':
    '이 시각 이후 접수. 예약한 메시지는 처음 예약한 시각이 기준입니다.',
  'Accepted before this time; of a reserved message as in requestTime.':
    '이 시각 이전 접수. 예약한 메시지는 requestTime과 같습니다.',
  'What became of messages: one, those of a request, history, statistics; and cancelling them.':
    '보낸 메시지 조회: 건별, 요청별, 내역, 통계. 그리고 취소.',
  'List sent messages': '보낸 메시지 내역 조회',
  'Messages that match all filters, newest first, with the channel message that each is at. While "hasNext" is true, call again with "lastSeq"; a page may be short or empty and still have a next one.':
    '모든 조건에 맞는 메시지를 최신순으로, 현재 진행 중이거나 마지막인 채널 메시지와 함께 돌려줍니다. "hasNext"가 true이면 "lastSeq"를 넣어 다시 호출하세요. 페이지가 짧거나 비어 있어도 다음 페이지가 있을 수 있습니다.',
  'Channels in the flow: some of SMS, MMS, INTERNATIONAL, RCS, ALIMTALK, FRIENDTALK, BRANDMESSAGE, separated by commas.':
    '흐름에 포함된 채널. SMS, MMS, INTERNATIONAL, RCS, ALIMTALK, FRIENDTALK, BRANDMESSAGE 중에서 쉼표로 구분.',
  'Some of SMS, MMS, INTERNATIONAL, RCS, ALIMTALK, FRIENDTALK, BRANDMESSAGE, separated by commas.':
    'SMS, MMS, INTERNATIONAL, RCS, ALIMTALK, FRIENDTALK, BRANDMESSAGE 중에서 쉼표로 구분.',
  'Reference given with the send, exactly.': '전송할 때 지정한 참조값(정확히 일치).',
  'One of delivered, failed, open.': 'delivered(수신), failed(실패), open(진행 중) 중 하나.',
  'Report code of the last channel message.': '마지막 채널 메시지의 리포트 코드.',
  'The lastSeq of the page before.': '앞 페이지의 lastSeq.',
  'Most messages of one page, 1 to 1000; 100 if not given.': '페이지당 최대 메시지 수(1~1000). 기본값 100.',
  'Where to continue; null on the last page.': '이어서 조회할 위치. 마지막 페이지면 null.',
  'Whether there may be more.': '다음 페이지가 있을 수 있는지 여부.',
  'Export sent messages as CSV': '보낸 메시지를 CSV로 내보내기',
  'The same filters as the list, without an end to the number of rows: it is streamed. A file that breaks off is not complete.':
    '내역 조회와 같은 조건을 씁니다. 행 수 제한 없이 스트리밍으로 보냅니다. 전송이 중간에 끊긴 파일은 완전하지 않습니다.',
  'Count messages by day, channel and outcome': '일별·채널별·결과별 통계',
  'At most 62 days; today if none is given. A message belongs to the day on which it was accepted. Counted within seconds: see countedUntil.':
    '최대 62일이며 날짜를 지정하지 않으면 오늘입니다. 메시지는 접수된 날짜로 집계됩니다. 몇 초 안에 집계되며 countedUntil로 확인할 수 있습니다.',
  'First day, yyyyMMdd.': '시작일, yyyyMMdd.',
  'Last day, yyyyMMdd; today if not given.': '종료일, yyyyMMdd. 지정하지 않으면 오늘.',
  'Look up the channel messages of one message': '메시지 한 건의 채널별 상태 조회',
  'One entry for each channel message that was tried or is in progress; none if the key is unknown.':
    '발송을 시도했거나 진행 중인 채널 메시지마다 한 항목입니다. 없는 키이면 비어 있습니다.',
  'Look up the messages of one request': '요청 한 건의 메시지 조회',
  'One entry for each recipient, in the order of the request, with the channel message that it is at; none if the request is unknown.':
    '수신자마다 한 항목을 요청 순서대로, 현재 또는 마지막 채널 메시지와 함께 돌려줍니다. 없는 요청이면 비어 있습니다.',
  'A msgKey without its last three characters.': '마지막 세 글자를 뺀 msgKey.',
  'Channel messages.': '채널 메시지.',
  'Show a message': '메시지 조회',
  'The message, its state, and its channel messages so far.': '메시지와 그 상태, 지금까지의 채널 메시지.',
  'There is no such message of the account.': '계정에 그런 메시지가 없습니다.',
  'There is no such request of the account.': '계정에 그런 요청이 없습니다.',
  'Cancel a message': '메시지 취소',
  'A message that has not been handed to a carrier ends with report code 90001, and nothing more of its flow is sent. A825 says why it is too late. To repeat a call is safe. One that waits in a reservation is taken out of it and has no report; A824 if its reservation is being sent.':
    '아직 중계사에 전달되지 않은 메시지는 리포트 코드 90001로 종료되고 남은 대체 발송도 하지 않습니다. 이미 늦었으면 A825로 이유를 알려 줍니다. 반복 호출해도 안전합니다. 예약 대기 중인 메시지는 예약에서 제외되며 리포트가 없습니다. 예약이 발송 중이면 A824입니다.',
  'State of the message; see docs/message-lifecycle.md. `reserved`: it waits for its time.':
    '메시지의 상태. docs/message-lifecycle.md 참고. `reserved`는 예약 시각을 기다리는 중입니다.',
  'Reservation in which it waits.': '메시지가 대기 중인 예약.',
  'When it is to be sent.': '발송 예정 시각.',
  'Cancel all messages of a request': '요청의 모든 메시지 취소',
  'Each recipient has a result of its own: A000, or A825 and why it is too late. Those that wait in a reservation are taken out of it; A824 if it is being sent.':
    '수신자마다 결과가 따로 있습니다. 취소되면 A000, 늦었으면 A825와 그 이유입니다. 예약에서 기다리는 수신자는 예약에서 빠지며, 예약이 발송 중이면 A824입니다.',
  'Messages that are cancelled.': '취소된 메시지 수.',
  'In the order of the request.': '요청 순서대로.',
  'State of the channel message; see docs/message-lifecycle.md.':
    '채널 메시지의 상태. docs/message-lifecycle.md 참고.',
  'Y: sent because the one before it failed.': 'Y: 앞선 메시지가 실패하여 대체 발송됨.',
  'Result code of the request.': '요청의 결과 코드.',
  'Shared by the recipients of one request.': '한 요청의 수신자들이 공유하는 값.',
  'Settlement department given with the send.': '전송할 때 지정한 정산 부서 코드.',
  'One for each channel message that was tried or is in progress.':
    '발송을 시도했거나 진행 중인 채널 메시지마다 하나.',
  'A000, or A825 if it is too late.': 'A000, 늦었으면 A825.',
  'By day and channel.': '일별·채널별.',
  'The day, yyyyMMdd.': '날짜, yyyyMMdd.',
  'Messages accepted, by the first channel of their flow.': '접수된 메시지 수(흐름의 첫 채널 기준).',
  'Channel messages that ended.': '종료된 채널 메시지 수.',
  'Of these, delivered.': '그중 수신된 수.',
  'Of these, not delivered.': '그중 수신되지 않은 수.',
  'Channel messages that ended, by report code.': '종료된 채널 메시지 수(리포트 코드별).',
  'Cancel messages': '메시지 취소',
  'those selected': '선택한 메시지',
  'count them': '개수 확인',
  'cancel them': '조건으로 취소',
  'Messages that have not been handed to a carrier: those named, or those that match filters as in findMessages. With filters and without "most" they are only counted, up to 10,000; with "most" at most so many are cancelled, newest first, so never more than were seen. Each ends with report code 90001.':
    '아직 중계사에 전달되지 않은 메시지를 취소합니다. 키로 지정하거나 findMessages와 같은 조건으로 고릅니다. 조건만 있고 "most"가 없으면 최대 10,000건까지 개수만 셉니다. "most"가 있으면 최신순으로 그 수까지만 취소하므로 확인한 수보다 많이 취소되지 않습니다. 취소된 메시지는 리포트 코드 90001로 종료됩니다.',
  'Filters as in findMessages; at least one beside "state".':
    'findMessages와 같은 조건. "state" 외에 하나 이상 필요합니다.',
  'Cancels at most so many; without it they are counted.': '이 수까지만 취소합니다. 없으면 개수만 셉니다.',
  'Messages that could be cancelled; 0 where some were cancelled.':
    '취소할 수 있는 메시지 수. 취소를 실행했으면 0.',
  'Messages that were cancelled.': '취소된 메시지 수.',
  'Messages that were handed to a carrier, or ended, before.':
    '그 전에 중계사에 전달되었거나 종료된 메시지 수.',
  'Whether there may be more that match the filters.': '조건에 맞는 메시지가 더 있을 수 있는지 여부.',
  'Settle messages by hand': '메시지 결과 수동 확정',
  'those that failed': '실패한 메시지',
  'count the unknown': '결과 불명 개수 확인',
  'settle the unknown': '조건으로 확정',
  'Messages whose outcome is unknown, once the carrier has said what became of them: those named, or those that match filters as in findMessages. With filters and without "most" they are only counted, up to 10,000; with "most" at most so many are settled, newest first. The state "submitted" (taken by the carrier, no receipt) can be settled as well: by keys, or with the filter "state". Each ends with a report; one that failed goes on with its fallback. The order is in the audit log before anything is settled, and what was done after it.':
    '결과를 알 수 없는 메시지를 중계사가 알려 준 결과로 확정합니다. 키로 지정하거나 findMessages와 같은 조건으로 고릅니다. 조건만 있고 "most"가 없으면 최대 10,000건까지 개수만 셉니다. "most"가 있으면 최신순으로 그 수까지만 확정합니다. "submitted" 상태(중계사 접수, 결과 미수신)도 키로 지정하거나 "state" 조건에 넣으면 확정할 수 있습니다. 각 메시지는 결과 기록을 남기고 종료되며, 실패로 확정하면 대체 발송이 이어집니다. 지시는 확정하기 전에, 실행 결과는 그 뒤에 감사 로그에 기록됩니다.',
  'Settles at most so many; without it they are counted.': '이 수까지만 확정합니다. 없으면 개수만 셉니다.',
  'What became of them. Not needed to count them, nor are "code" and "reason".':
    '확정할 결과. 개수만 셀 때는 "code", "reason"과 함께 생략합니다.',
  'Report code of those that failed: one of the channel that each is at.':
    '실패한 메시지의 리포트 코드. 각 메시지가 있는 채널의 코드여야 합니다.',
  '5 to 200 characters on one line, for the audit log and the timelines of the messages.':
    '감사 로그와 메시지 이력에 남길 사유. 한 줄, 5~200자.',
  'Messages that could be settled; 0 where some were settled.':
    '확정할 수 있는 메시지 수. 확정을 실행했으면 0.',
  'Messages that were settled.': '확정된 메시지 수.',
  'Messages that had ended, or gone another way, before.':
    '그 전에 종료되었거나 다른 경로로 넘어간 메시지 수.',
};
