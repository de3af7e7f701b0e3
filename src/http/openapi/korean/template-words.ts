/** The descriptions of the template library and of how senders look, in Korean, by their English. */
export const TEMPLATE_WORDS: Readonly<Record<string, string>> = {
  approved: '승인',
  rejected: '반려',
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
  'A placeholder without a value; a template of the library that is not approved; content that differs from it; a value of it that is missing; what a network refuses: a formatId that is neither in the table nor an approved template, content that an issued template does not take, a file that is not there.':
    '값이 없는 치환 변수, 승인되지 않은 템플릿, 템플릿과 다른 내용, 누락된 템플릿 값, 통신망이 거부하는 것(포맷 표에도 승인된 템플릿에도 없는 formatId, 발급된 템플릿에 쓸 수 없는 콘텐츠, 없는 파일).',
  'Keys of #{key} placeholders that have no value, which the recipient would get as they stand; the state of the template; the fields that differ; the values that are missing; the formatId and the format that was probably meant; the content and the formatId; the file. At most 10.':
    '값이 없어 수신자에게 그대로 발송될 #{key}의 키, 템플릿의 상태, 다른 항목, 누락된 값, formatId와 비슷한 포맷, 콘텐츠와 formatId, 파일. 최대 10개.',
  'Name that recipients see.': '수신자에게 보이는 이름.',
  'Key of the sender profile or brand.': '발신 프로필 또는 브랜드의 키.',
  'Image as a data: URL, PNG or JPEG, at most 40000 characters.':
    'data: URL 형식의 PNG 또는 JPEG 이미지. 최대 40000자.',
  'logo of a sender profile or brand': '발신 프로필 또는 브랜드의 로고',
};
