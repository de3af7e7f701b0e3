/** Korean of the descriptions of nodes. */
export const NODE_WORDS: Readonly<Record<string, string>> = {
  'Its name: BONGSU_NODE_NAME, or host and port.':
    '노드 이름. BONGSU_NODE_NAME이며, 없으면 호스트와 포트입니다.',
  'Its version.': '버전.',
  'Parts that wait for an answer of a carrier.': '중계사의 응답을 기다리는 건수.',
};
