/** The Korean of what the API document says of reservations. */
export const RESERVATION_WORDS: Readonly<Record<string, string>> = {
  'Sends that wait for their time. Their messages have keys from the beginning.':
    '정한 시각까지 기다리는 발송. 메시지 키는 예약할 때 바로 정해집니다.',
  'When it is sent: yyyy-MM-dd HH:mm:ss, also with T between date and time. In the time zone of the gateway unless it ends with an offset such as +09:00.':
    '발송 시각. yyyy-MM-dd HH:mm:ss 형식이며 날짜와 시각 사이에 T를 써도 됩니다. +09:00 같은 오프셋이 없으면 게이트웨이의 시간대입니다.',
  'Name of the reservation. At most 100 characters.': '예약 이름. 최대 100자.',
  'Name of the reservation.': '예약 이름.',
  'Key of the reservation, if resvSendTime was given.': '예약 키(resvSendTime을 지정한 경우).',
  'Reserve a send': '발송 예약',
  'A combined send for later: from a minute from now (A316) to a year (A331). Everything is checked now, and again when its time has come: a recipient that no longer passes then ends with a report. The keys of its messages are given at once. At most 10 recipients, or the recipientLimit of the account; more can be added until it is sent, 1,000 a call, up to 1,000,000. What a message form contains is fixed now; the form must still exist when it is sent.':
    '나중에 보낼 통합 발송입니다. 지금부터 1분 뒤(더 이르면 A316)에서 1년(더 늦으면 A331)까지 예약할 수 있습니다. 예약할 때 모두 검사하고 발송 시각에 다시 검사하며, 그때 조건을 충족하지 않는 수신자는 리포트로 끝납니다. 메시지 키는 바로 정해집니다. 수신자는 10명 또는 계정의 recipientLimit까지이며, 발송 전까지 한 번에 1,000명씩 모두 1,000,000명까지 추가할 수 있습니다. 메시지 폼의 내용은 예약할 때 고정되고, 폼은 발송 시각에도 남아 있어야 합니다.',
  'Recipients, at most 1,000 a call.': '수신자. 한 번에 최대 1,000명.',
  'an SMS for tomorrow': '내일 보낼 SMS',
  'Key of the reservation; absent if every recipient was refused.':
    '예약 키. 모든 수신자가 거절되면 없습니다.',
  'List reservations': '예약 목록',
  'Only those to be sent at this time or later.': '이 시각 이후에 발송할 예약만.',
  'Only those in this state.': '이 상태인 예약만.',
  'The lastSeq of the page before.': '이전 페이지의 lastSeq.',
  'Most rows of a page, 1 to 1000; default 100.': '한 페이지의 최대 행 수. 1에서 1000까지, 기본값 100.',
  'Where the next page begins.': '다음 페이지가 시작되는 위치.',
  'Whether there are more.': '더 있는지 여부.',
  'Show a reservation': '예약 조회',
  'Its state and its counts. Kept as long as messages are.':
    '상태와 건수. 메시지와 같은 기간 동안 보관합니다.',
  'Key of the reservation.': '예약 키.',
  'Change time or name of a reservation': '예약 시각 또는 이름 변경',
  'Only while it is PENDING or HELD. The keys of its messages stay as they are, and with them their place in the history. At most 31 days before the time for which it was first reserved (A316).':
    'PENDING 또는 HELD 상태에서만 가능합니다. 메시지 키는 그대로이며, 내역에서의 순서도 바뀌지 않습니다. 처음 예약한 시각보다 최대 31일 이르게 바꿀 수 있습니다(A316).',
  'When it is sent, as in the reservation.': '발송 시각. 예약할 때와 같은 형식입니다.',
  later: '더 늦게',
  'Cancel a reservation': '예약 취소',
  'While it is PENDING, STOPPED or HELD. Nothing more of it is sent, and its waiting recipients are deleted; they get no report.':
    'PENDING, STOPPED, HELD 상태에서 가능합니다. 더 이상 발송하지 않고 대기 중인 수신자는 삭제하며 리포트도 없습니다.',
  'Pause a reservation': '예약 일시정지',
  'While it is PROCESSING. What is in the queue is sent; the other recipients wait.':
    'PROCESSING 상태에서 가능합니다. 큐에 들어간 메시지는 발송되고 나머지 수신자는 대기합니다.',
  'Resume a paused reservation': '일시정지한 예약 재개',
  'While it is STOPPED. The recipients that wait are sent from now on.':
    'STOPPED 상태에서 가능합니다. 대기 중인 수신자에게 발송을 재개합니다.',
  'Add recipients to a reservation': '예약에 수신자 추가',
  'While it is PENDING, STOPPED or HELD. Up to 1,000 a call; A318 if it would have more than 1,000,000. Each recipient has a result of its own.':
    'PENDING, STOPPED, HELD 상태에서 가능합니다. 한 번에 1,000명까지이며 모두 1,000,000명을 넘으면 A318입니다. 수신자마다 결과가 따로 있습니다.',
  'one more': '한 명 더',
  'List the recipients of a reservation': '예약 수신자 목록',
  'In the order in which they were added.': '추가한 순서대로.',
  'Whether it went into the queue.': '큐에 들어갔는지 여부.',
  'Recipients.': '수신자.',
  'Remove a recipient from a reservation': '예약에서 수신자 빼기',
  'While it is PENDING, STOPPED or HELD and the recipient has not been sent. It gets no message and no report.':
    'PENDING, STOPPED, HELD 상태이고 아직 발송하지 않은 수신자만 가능합니다. 메시지도 리포트도 없습니다.',
  'Name, if one was given.': '이름(지정한 경우).',
  'PENDING before its time; PROCESSING while its recipients go into the queue; STOPPED; HELD after the gateway was restored from a backup, until its operator decides; COMPLETED when all have; CANCELLED.':
    'PENDING: 발송 시각 전. PROCESSING: 수신자가 큐로 들어가는 중. STOPPED: 중지. HELD: 게이트웨이를 백업에서 복원한 뒤 운영자의 결정을 기다림. COMPLETED: 모두 큐에 들어감. CANCELLED: 취소.',
  'When it is sent.': '발송 시각.',
  'Channels of its flow, in order.': '메시지 흐름의 채널, 순서대로.',
  'Whether its first message is an advertisement.': '첫 메시지가 광고인지 여부.',
  'Settlement department, if one was given.': '정산용 부서 코드(지정한 경우).',
  'Group of its messages, if one was given.': '메시지 그룹(지정한 경우).',
  'Recipients, without those that were removed.': '수신자 수. 뺀 수신자는 제외합니다.',
  'Recipients that went into the queue.': '큐에 들어간 수신자 수.',
  'Of those, delivered. Counted a few seconds behind.': '그중 전달된 건수. 몇 초 늦게 집계됩니다.',
  'Of those, not delivered. Counted a few seconds behind.': '그중 전달되지 않은 건수. 몇 초 늦게 집계됩니다.',
  'When it was made.': '예약한 시각.',
  'When it last changed.': '마지막으로 바뀐 시각.',
  'List the reservations of all accounts': '모든 계정의 예약 목록',
  'Show a reservation of an account': '계정의 예약 조회',
  'With what is sent; its texts are masked for whom messages are.':
    '보낼 내용을 포함합니다. 메시지를 가려서 보는 운영자에게는 본문도 가려집니다.',
  'What is sent; null once its text is removed.': '보낼 내용. 본문이 제거되면 null.',
  'List the recipients of a reservation of an account': '계정의 예약 수신자 목록',
  'Change time or name of a reservation of an account': '계정의 예약 시각 또는 이름 변경',
  'Only while it is PENDING or HELD.': 'PENDING 또는 HELD 상태에서만 가능합니다.',
  'Cancel a reservation of an account': '계정의 예약 취소',
  'Nothing more of it is sent.': '더 이상 발송하지 않습니다.',
  'Pause a reservation of an account': '계정의 예약 일시정지',
  'What is in the queue is sent.': '큐에 들어간 메시지는 발송됩니다.',
  'Resume a paused reservation of an account': '일시정지한 계정의 예약 재개',
  'The recipients that wait are sent from now on.': '대기 중인 수신자에게 발송을 재개합니다.',
  'Release a reservation of an account that is held': '보류된 계정의 예약 해제',
  'While it is HELD, because the store was restored from a backup and it may have been sent since. It is sent at its time, or at once if that has passed. One that was STOPPED at the backup is STOPPED again.':
    '저장소를 백업에서 복원하여 그사이 발송되었을 수 있는 HELD 상태의 예약에서 가능합니다. 예약 시각에 발송하며, 시각이 지났으면 바로 발송합니다. 백업할 때 STOPPED이던 예약은 다시 STOPPED이 됩니다.',
};
