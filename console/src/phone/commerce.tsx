/** Goods with their price, and coupons. */
import type { Commerce, Coupon } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';

export function CommerceView({ commerce }: { commerce: Commerce }) {
  const t = useWords();
  const { title, regularPrice, discountPrice, discountRate, discountFixed } = commerce;
  const price = discountPrice ?? regularPrice;
  return (
    <div class="talk-goods">
      <p class="talk-price">
        {discountRate ? <span class="talk-discount">{discountRate}%</span> : null}
        {!discountRate && discountFixed ? (
          <span class="talk-discount">-{t.phone.won(discountFixed)}</span>
        ) : null}
        {price !== undefined && <strong>{t.phone.won(price)}</strong>}
        {discountPrice !== undefined && regularPrice !== undefined && <s>{t.phone.won(regularPrice)}</s>}
      </p>
      <p>{title}</p>
    </div>
  );
}

export function CouponView({ coupon }: { coupon: Coupon }) {
  const t = useWords();
  return (
    <div class="talk-coupon">
      <span class="sr-only">{t.phone.coupon}</span>
      <p class="talk-coupon-title">{coupon.title}</p>
      <p>{coupon.description}</p>
    </div>
  );
}
