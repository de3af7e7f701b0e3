/** The descriptions of the template library and of how senders look, in Korean, by their English. */
export const TEMPLATE_WORDS: Readonly<Record<string, string>> = {
  'List the templates of an account': '계정의 템플릿 목록',
  'By kind and key. A page may hold fewer than asked for, even none, and still have a next.':
    '종류와 키 순서입니다. 페이지가 요청한 수보다 짧거나 비어 있어도 next가 있을 수 있습니다.',
  'Only templates of this kind.': '이 종류의 템플릿만.',
  'Only templates in this state.': '이 상태의 템플릿만.',
  'A part of the code, the name or the text.': '코드, 이름 또는 본문의 일부.',
  'By kind and key.': '종류와 키 순서.',
  'Save a draft of a template': '템플릿 초안 저장',
  'The template is then in the state draft. One that is in review or approved cannot be saved; one that somebody else has changed since it was read neither.':
    '저장하면 초안 상태가 됩니다. 검수 중이거나 승인된 템플릿, 조회한 뒤 다른 사람이 변경한 템플릿은 저장할 수 없습니다.',
  'Kind of template.': '템플릿 종류.',
  'Of an alimtalk or brandmessage template senderKey/templateCode, with the slash as %2F; of an RCS template formatId.':
    '알림톡과 브랜드메시지 템플릿은 senderKey/templateCode(슬래시는 %2F), RCS 템플릿은 formatId.',
  'The fields of the kind, as in Template, except state and reason; and the revision that was read, none for a new template.':
    'Template에 있는 해당 종류의 항목(state와 reason 제외)과 조회한 revision. 새 템플릿은 revision이 없습니다.',
  'a new template': '새 템플릿',
  'Read a template with its history': '템플릿과 변경 이력 조회',
  'The last 30 changes are kept, newest first.': '최근 변경 30건을 최신순으로 보관합니다.',
  'State of its approval.': '승인 상태.',
  'States that it can be put into.': '변경할 수 있는 상태.',
  'Whether it can be saved in this state.': '이 상태에서 저장할 수 있는지 여부.',
  'Put a template into another state': '템플릿 상태 변경',
  'From draft to review; from review to approved, rejected or draft; from approved to rejected or draft; from rejected to draft or review.':
    '초안에서 검수로, 검수에서 승인·반려·초안으로, 승인에서 반려·초안으로, 반려에서 초안·검수로 변경합니다.',
  'Required to reject.': '반려할 때 필수.',
  'Higher with every change; sent back with the next one.':
    '변경할 때마다 커지며, 다음 변경 요청에 함께 보냅니다.',
  'hand it in': '검수 요청',
  approved: '승인',
  rejected: '반려',
  'Import templates': '템플릿 가져오기',
  'Stores all templates of the list or none; one under the same key is replaced. A template without a state is approved. With trial nothing is stored, and the answer lists every problem.':
    '목록의 템플릿을 모두 저장하거나 하나도 저장하지 않습니다. 같은 키의 템플릿은 교체합니다. 상태가 없는 템플릿은 승인된 것으로 봅니다. trial이면 저장하지 않고 모든 문제를 알려 줍니다.',
  'Entries of the registry, as in RegistryEntry.': 'RegistryEntry 형식의 등록 항목.',
  'Only say what would happen. Default false.': '결과만 확인합니다. 기본값 false.',
  'one template': '템플릿 1개',
  'Templates that are new.': '새로 추가된 템플릿.',
  'Templates in the place of others.': '교체된 템플릿.',
  'Templates that are there as they are.': '변경되지 않은 템플릿.',
  'Place in the list.': '목록에서의 위치.',
  'At most 50; only with trial, otherwise the first of them is the answer.':
    '최대 50건. trial일 때만 있으며, 아니면 첫 번째 문제로 응답합니다.',
  'AT text, AI image; compared where it is registered.': 'AT 텍스트, AI 이미지. 등록되어 있으면 비교합니다.',
  'State of its approval; an entry without one is approved.': '승인 상태. 없으면 승인된 것으로 봅니다.',
  'Why it was rejected, or what else was said about its state.': '반려 사유 또는 상태에 대한 의견.',
  'Name by which operators find it.': '운영자가 찾을 때 쓰는 이름.',
  'alimtalk template': '알림톡 템플릿',
  'brandmessage template': '브랜드메시지 템플릿',
  'Kind of the message, compared where it is registered.':
    '메시지 유형. 등록되어 있으면 메시지와 비교합니다.',
  'Text; #{name} matches any text. Compared with a text that a message brings. At most 1000 characters.':
    '본문. #{name}에는 어떤 텍스트든 올 수 있습니다. 메시지에 본문이 있으면 비교합니다. 최대 1000자.',
  'What it says, with {{key}} for each value that a sender gives.':
    '본문. 발송할 때 넣을 값은 {{key}}로 표시합니다.',
  'RCS template': 'RCS 템플릿',
  'Identifies the template within its kind.': '종류 안에서 템플릿을 식별합니다.',
  'Names of the values that a message made from it needs; at most 100.':
    '이 템플릿으로 만든 메시지에 필요한 값의 이름. 최대 100개.',
  'Last change; null if that was before changes were recorded.': '마지막 변경. 변경을 기록하기 전이면 null.',
  'When it was changed.': '변경 시각.',
  'Who changed it.': '변경한 운영자.',
  'What was said about the state; null if nothing.': '상태에 대한 의견. 없으면 null.',
  'Text of the template after the change.': '변경 후의 템플릿 본문.',
  'A placeholder without a value; a template of the library that is not approved; content that differs from it; a value of it that is missing; what a network refuses: a formatId that is neither in the table nor an approved template, content that an issued template does not take, a file that is not there.':
    '값이 없는 치환 변수, 승인되지 않은 템플릿, 템플릿과 다른 내용, 누락된 템플릿 값, 통신망이 거부하는 것(포맷 표에도 승인된 템플릿에도 없는 formatId, 발급된 템플릿에 쓸 수 없는 콘텐츠, 없는 파일).',
  'Keys of #{key} placeholders that have no value, which the recipient would get as they stand; the state of the template; the fields that differ; the values that are missing; the formatId and the format that was probably meant; the content and the formatId; the file. At most 10.':
    '값이 없어 수신자에게 그대로 발송될 #{key}의 키, 템플릿의 상태, 다른 항목, 누락된 값, formatId와 비슷한 포맷, 콘텐츠와 formatId, 파일. 최대 10개.',
  'Show how a sender looks to recipients': '수신자에게 보이는 발신자 모습 조회',
  'Name and logo of a sender profile or brand, as they are registered; null for what is not. The previews of the console use them.':
    '등록된 발신 프로필 또는 브랜드의 이름과 로고입니다. 없으면 null이며, 콘솔의 미리보기에 사용합니다.',
  'A senderKey, or a brandKey.': 'senderKey 또는 brandKey.',
  'Name that recipients see.': '수신자에게 보이는 이름.',
  'Key of the sender profile or brand.': '발신 프로필 또는 브랜드의 키.',
  'Image as a data: URL, PNG or JPEG, at most 40000 characters.':
    'data: URL 형식의 PNG 또는 JPEG 이미지. 최대 40000자.',
  'logo of a sender profile or brand': '발신 프로필 또는 브랜드의 로고',
  'Image as a data: URL.': 'data: URL 형식의 이미지.',
};
