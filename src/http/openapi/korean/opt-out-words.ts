/** The descriptions of opt-outs in Korean, by their English. */
export const OPT_OUT_WORDS: Readonly<Record<string, string>> = {
  'Recipients who opted out of advertisements, or of everything: one list for each account.':
    '광고 또는 모든 메시지의 수신을 거부한 사람. 목록은 계정마다 따로 있습니다.',
  'List recipients who opted out': '수신 거부 목록',
  'Newest first. With `to` it answers whether one recipient has opted out.':
    '최신순입니다. `to`를 주면 그 수신자가 거부했는지 알 수 있습니다.',
  'Only this recipient.': '이 수신자만.',
  'Only entries about this sender.': '이 발신자에 대한 항목만.',
  'current: entries that have not ended, the default; all: these too.':
    'current: 해제되지 않은 항목(기본값). all: 해제된 항목도 포함.',
  'Most rows of a page, 1 to 1000; default 100.': '한 페이지의 최대 건수. 1~1000, 기본값 100.',
  'Add recipients who opted out': '수신 거부 등록',
  'All of them or none. Advertisements to them are accepted and end at once with report code 90002; so do all other messages, if the entry covers all. Messages that were accepted before are checked again before each step goes out. An entry that is there already is left as it is.':
    '전부 등록하거나 하나도 등록하지 않습니다. 이 수신자에게 보내는 광고는 접수되지만 곧바로 결과 코드 90002로 끝납니다. 항목의 범위가 all이면 다른 메시지도 같습니다. 이미 접수된 메시지도 각 단계를 보내기 직전에 다시 확인합니다. 이미 있는 항목은 그대로 둡니다.',
  'Record the renewed consent of recipients': '수신 재동의 처리',
  'Ends the entries of these recipients: those about one sender, or all of them. Entries that have ended stay on the list as proof.':
    '이 수신자의 거부 항목을 해제합니다. 한 발신자 또는 모든 발신자에 대해 처리할 수 있습니다. 해제된 항목은 증빙으로 남습니다.',
  'to all senders': '모든 발신자에게 동의',
  'How many entries ended.': '해제된 항목 수.',
  'Export the list as CSV': '목록을 CSV로 내보내기',
  'The whole list, entries that have ended included: who, which sender, since when, how and by whom, and when consent was given back.':
    '해제된 항목을 포함한 전체 목록입니다. 수신자, 발신자, 거부 시각과 방법, 처리자, 재동의 시각이 들어 있습니다.',
  'Import a list from CSV': 'CSV로 목록 가져오기',
  'UTF-8, with a first row that names the columns (to, sender, covers), or numbers alone; at most 1 MiB, 100 cells in a row and 1,000 characters in a cell. Rows with a value in the column "ended" are left out, so that an exported file can be imported. A file with a row that is wrong is refused as a whole. Rows are written 1,000 at a time: after a fault some may be there. To repeat it is safe.':
    'UTF-8 CSV입니다. 첫 행에 열 이름(to, sender, covers)을 적거나 번호만 나열합니다. 최대 1 MiB이며, 한 행은 셀 100개, 한 셀은 1,000자까지입니다. "ended" 값이 있는 행은 건너뛰므로 내보낸 파일을 그대로 가져올 수 있습니다. 잘못된 행이 하나라도 있으면 파일 전체를 거절합니다. 1,000행씩 저장하므로 장애가 나면 일부만 남을 수 있습니다. 반복해도 안전합니다.',
  'Account whose free number was called.': '전화를 받은 무료 수신거부 번호의 계정.',
  'For the service behind a free opt-out number (080). "from" (or "caller") is who called, "to" (or "called") the number; as JSON, as a form or in the query. The caller is authenticated by BONGSU_OPT_OUT_TOKEN, as a bearer token or as the parameter "token". A000 means that the entry is on disk; to repeat a call is safe.':
    '무료 수신거부 번호(080) 서비스가 호출합니다. "from"(또는 "caller")은 전화를 건 번호, "to"(또는 "called")는 걸린 번호이며 JSON, 폼 또는 쿼리로 보냅니다. BONGSU_OPT_OUT_TOKEN을 Bearer 토큰이나 "token" 매개변수로 보내 인증합니다. A000은 항목이 디스크에 저장되었다는 뜻이며 반복해도 안전합니다.',
  'Receive an opt-out by phone call': '전화 수신 거부 받기',
  'Receive an opt-out by phone call in the query': '전화 수신 거부를 쿼리로 받기',
  'When a step that was postponed may go out.': '미뤄진 단계를 보낼 수 있는 시각.',
};
