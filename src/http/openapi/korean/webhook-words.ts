/** The descriptions of webhook deliveries and their attempts in Korean, by their English. */
export const WEBHOOK_WORDS: Readonly<Record<string, string>> = {
  'As they were sent; of signatures only the beginning.': '보낸 그대로의 헤더. 서명은 앞부분만 표시합니다.',
  'At most 20; cookies and the like are hidden.': '최대 20개. 쿠키 등은 숨깁니다.',
};
