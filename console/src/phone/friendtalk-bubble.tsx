/** Friendtalk and brand message in their eight types; what a type does not have is simply not there. */
import type { FriendtalkStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { CommerceView, CouponView } from './commerce.tsx';
import { FriendtalkCarousel } from './friendtalk-carousel.tsx';
import { MessengerButtons } from './messenger-buttons.tsx';
import { PhoneImage } from './phone-image.tsx';

/** Types whose image has a fixed frame. Other images, those of goods too, are shown as they are: 2:1, 1:1 or 3:4. */
const RATIOS: Readonly<Record<string, string>> = { FW: '4 / 3' };
const WITH_IMAGE: readonly string[] = ['FI', 'FW', 'FM'];

export function FriendtalkBubble({ step }: { step: FriendtalkStep }) {
  const t = useWords();
  const isAd = step.adFlag !== 'N';
  const isCarousel = step.msgType === 'FC' || step.msgType === 'FA';
  const isByTemplate = step.sendType !== undefined && step.sendType !== 'free';
  const hasContent = step.text || step.attachment || step.carousel || step.header;
  return (
    <>
      {isAd && <p class="talk-ad">{t.phone.friendtalkAd}</p>}
      {isByTemplate && !hasContent ? (
        <article class="talk">
          <p class="talk-text muted">{t.phone.template(step.templateCode ?? '')}</p>
        </article>
      ) : isCarousel ? (
        <FriendtalkCarousel step={step} />
      ) : (
        <FriendtalkCard step={step} />
      )}
      {isAd && <OptOut step={step} />}
    </>
  );
}

/** How to block the channel, and the free number of those who are not its friends. */
function OptOut({ step }: { step: FriendtalkStep }) {
  const t = useWords();
  const { unsubscribePhoneNumber: number, unsubscribeAuthNumber: code } = step;
  return (
    <div class="talk-opt-out">
      {number && (
        <p>
          {t.phone.freeOptOut} {number}
          {code && ` (${t.phone.optOutCode} ${code})`}
        </p>
      )}
      <p>{t.phone.blockChannel}</p>
    </div>
  );
}

function FriendtalkCard({ step }: { step: FriendtalkStep }) {
  const t = useWords();
  const { msgType = 'FT', attachment = {} } = step;
  const { image, item, video, commerce, coupon } = attachment;
  const isEmpty = !step.text && !item && !commerce && !video && !image;
  return (
    <article class={`talk talk-${msgType.toLowerCase()}`}>
      {step.header && <p class="talk-list-header">{step.header}</p>}
      {(image || WITH_IMAGE.includes(msgType)) && (
        <PhoneImage reference={image?.imgUrl} ratio={RATIOS[msgType]} />
      )}
      {video && (
        <div class="talk-video">
          <PhoneImage reference={video.thumbnailUrl} ratio="16 / 9" />
          <span>{t.phone.video}</span>
        </div>
      )}
      {item && <WideItems items={item.list ?? []} />}
      {commerce && <CommerceView commerce={commerce} />}
      {step.text && <p class="talk-text">{step.text}</p>}
      {isEmpty && <p class="talk-text muted">{t.phone.empty}</p>}
      {step.additionalContent && <p class="talk-small">{step.additionalContent}</p>}
      {coupon && <CouponView coupon={coupon} />}
      <MessengerButtons buttons={attachment.button} />
    </article>
  );
}

type WideItem = NonNullable<NonNullable<NonNullable<FriendtalkStep['attachment']>['item']>['list']>[number];

/** The first item is wide, the others have their image at the side. */
function WideItems({ items }: { items: readonly WideItem[] }) {
  return (
    <ul class="talk-wide-items">
      {items.map((item, index) => (
        <li key={index} class={index === 0 ? 'talk-wide-first' : undefined}>
          <PhoneImage reference={item.imgUrl} ratio={index === 0 ? '2 / 1' : '1 / 1'} />
          <p>{item.title}</p>
        </li>
      ))}
    </ul>
  );
}
