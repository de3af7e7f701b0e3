/** What the document says of inbound messages, in Korean. */
export const INBOUND_WORDS: Readonly<Record<string, string>> = {
  'Messages received on account numbers: in batches by polling, one message, or all of them.':
    '계정의 번호로 들어온 수신 메시지를 폴링으로 받거나, 한 건씩 또는 전체 내역으로 조회합니다.',
  'Receive inbound messages': '수신 메시지 폴링',
  'The oldest messages that people sent to your numbers and that were not fetched yet, at most 1000. The same batch is returned with the same moId until it is deleted. If there are none, moId is empty and mo is null.':
    '등록된 번호로 들어온 메시지 중 아직 받지 않은 것을 오래된 순으로 최대 1000건 반환합니다. 삭제할 때까지 같은 moId로 같은 묶음이 반환됩니다. 없으면 moId는 비어 있고 mo는 null입니다.',
  'Delete a batch of inbound messages that was processed': '처리한 수신 메시지 묶음 삭제',
  'Call it once you have stored the messages; the next poll then returns the next batch.':
    '메시지를 저장한 뒤 호출합니다. 그다음 폴링부터 다음 묶음이 반환됩니다.',
  'Look up one inbound message': '수신 메시지 한 건 조회',
  'The message, up to 30 days old; an empty list if the key is unknown.':
    '최근 30일 이내의 메시지입니다. 없는 키이면 빈 배열입니다.',
  'At most one.': '최대 한 건.',
  'List inbound messages': '수신 메시지 내역',
  'Messages from a time on, oldest first, up to 30 days old, fetched or not.':
    '지정한 시각 이후의 메시지를 오래된 순으로, 최근 30일까지 받았는지와 관계없이 반환합니다.',
  'Received from this time on.': '이 시각 이후에 들어온 메시지.',
  'Number of the sender, however it is written.': '보낸 사람의 번호. 표기 방식은 상관없습니다.',
  'Your number, as it is registered.': '등록된 수신용 번호.',
  'The lastSeq of the page before.': '앞 페이지의 lastSeq.',
  'Messages of one page, 1 to 1000; 100 if it is left out.': '한 페이지의 건수. 1~1000, 생략하면 100.',
  'Oldest first.': '오래된 순.',
  'Cursor of the next page.': '다음 페이지의 커서.',
  'Whether there are more.': '더 있는지 여부.',
  'Always MO.': '항상 MO.',
  'Always SM.': '항상 SM.',
  'Number of the sender.': '보낸 사람의 번호.',
  'The handset; the same as from.': '단말기 번호. from과 같습니다.',
  'Text. Long messages are joined. Empty when its time is over.':
    '본문. 긴 메시지는 합쳐서 줍니다. 보관 기간이 지나면 비어 있습니다.',
  'When the gateway received it.': '게이트웨이가 받은 시각.',
  'Key of the batch; empty if there are no messages.': '묶음의 키. 메시지가 없으면 비어 있습니다.',
  'Messages received on account numbers, newest first. Numbers and texts are masked.':
    '계정의 번호로 들어온 메시지를 최신순으로 반환합니다. 번호와 본문은 가려서 표시합니다.',
  'Account it belongs to; none for those that match no account.':
    '소속 계정. none이면 어느 계정에도 해당하지 않는 메시지.',
  'The whole number of the sender, with or without dashes and +82.':
    '보낸 사람의 전체 번호. 하이픈과 +82는 있어도 되고 없어도 됩니다.',
  'The number that was written to.': '메시지를 받은 번호.',
  'Show an inbound message without masks': '수신 메시지를 가리지 않고 보기',
  'Number and text in clear. The reason is in the audit log before the answer is given.':
    '번호와 본문을 그대로 보여 줍니다. 응답하기 전에 사유를 감사 로그에 남깁니다.',
  'nobody’s number': '등록되지 않은 번호',
  'Give an unmatched message to an account': '미분류 수신 메시지를 계정에 지정',
  'The account then gets it by polling or webhook, as if the number had been registered.':
    '번호가 등록되어 있던 것처럼 계정이 폴링이나 웹훅으로 받습니다.',
  'to the shop': 'shop 계정으로',
  'There is no such message or account.': '해당 메시지나 계정이 없습니다.',
  'Simulate an inbound message': '수신 메시지 시뮬레이션',
  'For the sandbox: a message of a person to a number, as a real network would bring it.':
    '샌드박스용입니다. 실제 통신망에서 들어온 것처럼 번호로 메시지를 보냅니다.',
  'Number of the handset.': '단말기 번호.',
  'Number that is written to.': '받을 번호.',
  'What it says, at most 2000 characters.': '본문. 최대 2000자.',
  'a question': '문의',
  'Account it belongs to; null if the number is not registered.': '소속 계정. 등록되지 않은 번호이면 null.',
  'Number that was written to.': '메시지를 받은 번호.',
  'Carrier that brought it.': '메시지를 전달한 중계사.',
  'Number of the sender; masked unless it was revealed.': '보낸 사람의 번호. 열람하지 않으면 가려집니다.',
  'Text; masked unless it was revealed. Null when its time is over.':
    '본문. 열람하지 않으면 가려지고, 보관 기간이 지나면 null.',
  'Keyword that decided whose it is; * for the whole number.': '소속을 정한 키워드. *는 번호 전체.',
  'When it was received.': '들어온 시각.',
  'unmatched: the number is not registered; waiting: to be fetched or pushed; fetched; pushed: handed to the webhook; expired: not fetched in time.':
    'unmatched: 등록되지 않은 번호, waiting: 전달 대기, fetched: 폴링으로 받음, pushed: 웹훅으로 전달, expired: 기간 안에 받지 않음.',
  'When it was fetched by polling.': '폴링으로 받은 시각.',
  'Key of the automatic reply.': '자동 회신의 메시지 키.',
  'Why no automatic reply was sent: a result code, late, tooMany, blocked or restored.':
    '자동 회신을 보내지 않은 이유: 결과 코드, late, tooMany, blocked, restored.',
  'Receive messages of people from a provider': '사업자로부터 수신 메시지 받기',
  'Receive a message of a person in the query': '쿼리로 수신 메시지 받기',
  'Where the sender, the number, the text and the id are is set in bongsu.yaml, as is the answer. The status is 2xx once the messages are stored, 401 if the caller cannot be authenticated, 400 if the body cannot be read, 429 after too many calls that were not authenticated, and 503 if the provider has to try again.':
    '보낸 사람, 번호, 본문, ID의 위치와 응답은 bongsu.yaml에서 정합니다. 메시지를 저장하면 2xx, 호출자를 인증할 수 없으면 401, 본문을 읽을 수 없으면 400, 인증되지 않은 호출이 너무 많으면 429, 다시 보내야 하면 503을 반환합니다.',
  'Whether number and text are masked.': '번호와 본문이 가려졌는지 여부.',
};
