/** The carousels of friendtalk: a feed of texts (FC), or goods for sale (FA) behind an opening card. */
import type { CarouselCard, FriendtalkStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { CommerceView, CouponView } from './commerce.tsx';
import { MessengerButtons } from './messenger-buttons.tsx';
import { PhoneButton } from './phone-button.tsx';
import { PhoneImage } from './phone-image.tsx';
import { Swipe } from './swipe.tsx';

export function FriendtalkCarousel({ step }: { step: FriendtalkStep }) {
  const t = useWords();
  const { head, list = [], tail } = step.carousel ?? {};
  const cards = list.map((card, index) => <Card key={index} card={card} />);
  if (head) {
    cards.unshift(
      <article key="head" class="talk talk-card talk-head-card">
        {head.imageUrl && <PhoneImage reference={head.imageUrl} />}
        <p class="talk-card-header">{head.header}</p>
        <p class="talk-text">{head.content}</p>
      </article>,
    );
  }
  if (tail) {
    cards.push(
      <article key="tail" class="talk talk-card talk-tail-card">
        <PhoneButton label={t.phone.seeMore} target={tail.urlMobile ?? tail.urlPc} />
      </article>,
    );
  }
  return <Swipe cards={cards} size="medium" />;
}

function Card({ card }: { card: CarouselCard }) {
  const { image, commerce, coupon, button } = card.attachment ?? {};
  return (
    <article class="talk talk-card">
      <PhoneImage reference={image?.imgUrl} />
      {card.header && <p class="talk-card-header">{card.header}</p>}
      {card.message && <p class="talk-text">{card.message}</p>}
      {commerce && <CommerceView commerce={commerce} />}
      {card.additionalContent && <p class="talk-small">{card.additionalContent}</p>}
      {coupon && <CouponView coupon={coupon} />}
      <MessengerButtons buttons={button} />
    </article>
  );
}
