/** The descriptions of invitations, sessions and deletions in Korean, by their English. */
export const PEOPLE_WORDS: Readonly<Record<string, string>> = {
  'Accept an invitation': '초대 수락',
  'Gives an invited operator their token, shown only here, and signs them in as signIn does. Works once for each invitation. Failed attempts are limited for each address.':
    '초대받은 운영자에게 토큰을 발급하고 signIn과 같이 로그인합니다. 토큰은 여기에서만 표시됩니다. 초대마다 한 번만 쓸 수 있으며, 실패한 시도는 주소별로 제한합니다.',
  'What follows #invite= in the link.': '링크의 #invite= 뒤의 값.',
  'When the token ends.': '토큰 만료 시각.',
  'List the sessions of the console': '콘솔 세션 목록',
  'Newest first, 500 at most: those of everybody for an admin, otherwise your own.':
    '최신순으로 최대 500개입니다. admin은 모든 세션을, 나머지는 본인의 세션만 봅니다.',
  'End a session': '세션 종료',
  'With the next call, on every node: one of your own, or anybody’s for an admin.':
    '모든 노드에서 다음 호출부터 적용됩니다. 본인의 세션을 종료하며, admin은 모든 세션을 종료할 수 있습니다.',
  'Id of the session.': '세션 ID.',
  'Delete an account': '계정 삭제',
  'Only a blocked one without pending messages. Its password, tokens, forms, registry entries, files, webhook secrets and reports that were not fetched go within minutes. Its messages are kept as long as others, and operators find them; no account can be created with its id again.':
    '차단되어 있고 처리 중인 메시지가 없는 계정만 삭제합니다. 비밀번호, 토큰, 폼, 등록 정보, 파일, 웹훅 서명 키, 받지 않은 결과는 몇 분 안에 삭제됩니다. 메시지는 다른 메시지와 같은 기간 동안 보관되어 운영자가 조회할 수 있으며, 같은 ID로 계정을 다시 만들 수 없습니다.',
  'When its last message is gone. The id is never given again.':
    '마지막 메시지가 삭제되는 시각. ID는 다시 쓸 수 없습니다.',
  'The link works once, for 72 hours. Whoever opens it gets the token, which nobody else sees. Revoking the operator withdraws it.':
    '링크는 72시간 동안 한 번만 쓸 수 있습니다. 링크를 연 사람이 토큰을 받으며 다른 사람은 볼 수 없습니다. 운영자를 폐기하면 초대도 취소됩니다.',
  'Delete an uploaded image': '업로드한 이미지 삭제',
  'Before it expires. Refused while a pending message needs it. Its URL stops working at once.':
    '만료 전에 삭제합니다. 이 이미지를 쓰는 메시지가 처리 중이면 거절합니다. 주소는 즉시 사용할 수 없게 됩니다.',
  'Id of the session; it cannot be used to sign in.': '세션 ID. 로그인에는 쓸 수 없습니다.',
  'From where it was opened. Null in sessions from before it was recorded.':
    '세션을 연 주소. 기록하기 전의 세션은 null.',
  'What the browser called itself.': '브라우저 정보.',
  'When it was opened.': '세션 시작 시각.',
  'When it ends by itself.': '자동 종료 시각.',
  'Whether it is the session that asks.': '현재 요청한 세션인지 여부.',
};
