/** The Korean of what the API document says of privacy and of long work on the store. */
export const MAINTENANCE_WORDS: Readonly<Record<string, string>> = {
  'What is kept of one recipient: counting, exporting and erasing it.':
    '한 수신자에 대해 보관하는 정보: 건수 확인, 내보내기, 삭제.',
  'Long work on the whole store. One piece of it at a time.':
    '저장소 전체에 대한 오래 걸리는 작업. 한 번에 하나씩 실행합니다.',
  'Count what is kept of a recipient': '수신자 정보 건수 확인',
  'The number is found however it is written. Nothing is changed.':
    '번호를 어떤 형식으로 썼든 찾습니다. 아무것도 바꾸지 않습니다.',
  'Phone number, in any writing.': '전화번호. 형식은 자유입니다.',
  'Only what this account sent.': '이 계정이 보낸 것만.',
  everywhere: '모든 계정',
  ofAccount: '한 계정만',
  'Export everything that is kept of a recipient': '수신자 정보 모두 내보내기',
  'A JSON file of any length, not in the envelope. If it ends early the connection breaks.':
    '길이 제한이 없는 JSON 파일이며 응답 봉투에 담지 않습니다. 도중에 실패하면 연결이 끊어집니다.',
  'Messages, receipts, reservations and opt-outs of the number.':
    '이 번호의 메시지, 수신 결과, 예약, 수신거부.',
  'Erase a recipient from all messages': '모든 메시지에서 수신자 삭제',
  'Pending messages follow when they have ended. This cannot be undone.':
    '전송 중인 메시지는 끝난 뒤에 삭제합니다. 되돌릴 수 없습니다.',
  'Also delete uploaded images that nobody else was sent in the same request.':
    '같은 요청에서 다른 사람에게 보내지 않은 업로드 이미지도 삭제합니다.',
  withImages: '이미지도 삭제',
  'List the orders to erase': '삭제 요청 목록',
  'The newest 100, newest first.': '최근 100건, 최신순.',
  'Count values by the data key that they are encrypted with': '데이터 키별 값 건수',
  'Reads the whole store, in a thread of its own. Nothing is changed.':
    '별도 스레드에서 저장소 전체를 읽습니다. 아무것도 바꾸지 않습니다.',
  'How far it is.': '진행 상황.',
  'Keys of this gateway, the one that encrypts first.':
    '이 게이트웨이의 키. 암호화에 쓰는 키가 맨 앞에 있습니다.',
  'How the store is encrypted: strict refuses everything that is not gcm.':
    '저장소의 암호화 방식. strict이면 gcm이 아닌 값은 읽지 않습니다.',
  'By table, key and form.': '테이블, 키, 형식별.',
  'How they are stored; hash is a keyed hash.': '저장 형식. hash는 키를 쓰는 해시입니다.',
  'Table.': '테이블.',
  'Key, or plain.': '키. 암호화하지 않았으면 plain.',
  'Values.': '값의 수.',
  'Of each line: progress, every few seconds; the last line is the result.':
    '각 줄의 형식: 몇 초마다 진행 상황(progress), 마지막 줄은 결과.',
  'Encrypt everything with the first data key': '첫 데이터 키로 모두 다시 암호화',
  'While the gateway runs, with PostgreSQL. SQLite is rewritten for it: stop the gateway, and use the command on its machine.':
    'PostgreSQL에서는 게이트웨이가 실행 중일 때 가능합니다. SQLite는 파일을 다시 쓰므로 게이트웨이를 멈추고 그 서버에서 명령을 실행하세요.',
  'Rows looked at.': '확인한 행 수.',
  'Rows re-encrypted.': '다시 암호화한 행 수.',
  'Keys that may be left out of the setting.': '설정에서 빼도 되는 키.',
  'Keys that are still needed.': '아직 필요한 키.',
  'Whether the store refuses from now on what is not encrypted.':
    '이제부터 암호화하지 않은 값을 거부하는지 여부.',
  'Move uploaded files to where they are kept now': '업로드 파일을 현재 보관 위치로 이동',
  'While the gateway runs. It may be interrupted, and begun again.':
    '게이트웨이가 실행 중일 때 이동합니다. 중단했다가 다시 시작할 수 있습니다.',
  'directory, database or s3://BUCKET/PREFIX; without it, from the data directory and the database.':
    'directory, database 또는 s3://BUCKET/PREFIX. 없으면 데이터 디렉터리와 데이터베이스에서 이동합니다.',
  all: '모두',
  fromBucket: '버킷에서',
  'Where files are kept now.': '현재 파일 보관 위치.',
  'By the place that they came from.': '원래 위치별.',
  'Place they came from.': '원래 위치.',
  'Contents moved.': '이동한 내용 수.',
  'Their bytes.': '바이트 수.',
  'Contents deleted that no file needs.': '어떤 파일도 쓰지 않아 삭제한 내용 수.',
  'Hashes of damaged contents, which stay where they are.': '손상된 내용의 해시. 원래 위치에 그대로 둡니다.',
  'Make a backup and download it': '백업 생성 및 다운로드',
  'A tar with the SQLite database, the uploaded files and the key of webhook secrets; `bongsu restore` takes the directory that it holds. It is made first, in the data directory, which needs room for a copy; then it is sent. It needs a token; a session of the console is not enough.':
    'SQLite 데이터베이스, 업로드 파일, 웹훅 비밀 키를 담은 tar 파일입니다. 풀어낸 디렉터리를 `bongsu restore`에 지정하면 복원됩니다. 먼저 데이터 디렉터리에 백업을 만든 뒤 전송하므로 사본만큼의 여유 공간이 필요합니다. 토큰이 필요하며 콘솔 세션으로는 실행할 수 없습니다.',
  'Messages that have ended.': '끝난 메시지 수.',
  'Pending messages.': '전송 중인 메시지 수.',
  'Receipts without a message.': '메시지와 연결되지 않은 수신 결과 수.',
  'Answers and receipts that could not be stored.': '저장하지 못한 응답과 수신 결과 수.',
  'Messages from this number.': '이 번호가 보낸 메시지 수.',
  'Reserved messages.': '예약 메시지 수.',
  'Opt-outs, ended ones included.': '수신거부 수(해제된 것 포함).',
  'Id of the order.': '삭제 요청 ID.',
  'Messages without their recipient.': '수신자를 삭제한 메시지 수.',
  'Texts removed.': '삭제한 본문 수.',
  'Texts kept, because others got them.': '다른 사람도 받아서 남긴 본문 수.',
  'Client references removed.': '삭제한 클라이언트 참조 수.',
  'Carrier references without the number.': '번호를 지운 통신사 참조 수.',
  'Stored answers without the number.': '번호를 지운 저장 응답 수.',
  'Pending messages: they follow.': '전송 중인 메시지 수. 끝난 뒤 삭제합니다.',
  'Receipts removed.': '삭제한 수신 결과 수.',
  'Set-aside events without the number.': '번호를 지운 보류 이벤트 수.',
  'Messages from this number removed.': '삭제한 수신 메시지 수.',
  'Reserved messages removed.': '삭제한 예약 메시지 수.',
  'Ended opt-outs removed.': '삭제한 해제 수신거부 수.',
  'Opt-outs that stay: without them advertisements would come again.':
    '남긴 수신거부 수. 지우면 광고가 다시 발송됩니다.',
  'Images deleted.': '삭제한 이미지 수.',
  'What cannot be read: it is left to the order.':
    '읽을 수 없는 항목 수. 삭제 요청에 남겨 두고 다시 시도합니다.',
  'Images, what cannot be read, and files of the database that are not done yet.':
    '아직 처리하지 못한 이미지, 읽을 수 없는 항목, 데이터베이스 파일의 수.',
  'Images of removed texts that stay.': '본문은 삭제했지만 남은 이미지.',
  'Why it stays.': '남은 이유.',
  'Whether nothing of it is left in logs or free space of the database. Otherwise it is tried again.':
    '데이터베이스의 로그와 빈 공간에도 남지 않았는지 여부. 남았으면 다시 시도합니다.',
  'When it was given.': '요청한 시각.',
  'The number, masked.': '가린 번호.',
  'Only messages of this account.': '이 계정의 메시지만.',
  'Messages without their recipient so far.': '지금까지 수신자를 삭제한 메시지 수.',
  'Pending messages, which follow.': '전송 중이라 나중에 삭제할 메시지 수.',
  'When nothing was left.': '모두 삭제한 시각.',
};
