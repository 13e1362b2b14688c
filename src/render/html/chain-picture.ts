import type { CalloutReport, LinkState } from '../../diagnose/report.ts';
import { linksOf } from '../terminal/chain-line.ts';
import { html, type Markup } from './markup.ts';

const marks: Readonly<Record<LinkState, string>> = {
  good: '✔',
  bad: '✖',
  warning: '▲',
  unknown: '?',
  open: '·',
};

const words: Readonly<Record<LinkState, string>> = {
  good: 'good',
  bad: 'broken',
  warning: 'degraded',
  unknown: 'unknown',
  open: 'not examined',
};

/** Pixels of a box, and of the arrow after it. */
const size = { width: 92, height: 44, gap: 18 };

function box({ link, state, count }: ReturnType<typeof linksOf>[number], at: number): Markup {
  const x = at * (size.width + size.gap);
  const middle = x + size.width / 2;
  const arrow =
    at === 0
      ? undefined
      : html`<path class="arrow ${state}" d="M${x - size.gap + 2} 24h${size.gap - 5}m-5 -4l5 4l-5 4"/>`;
  return html`${arrow}<g class="${state}"><rect x="${x + 1}" y="2" width="${size.width - 2}" height="${size.height}" rx="8"/><text class="link" x="${middle}" y="20">${link}</text><text class="mark" x="${middle}" y="38">${marks[state]}${count === undefined ? undefined : ` ${count}`}</text></g>`;
}

/**
 * Draws the chain of one webhook from the API server to the Pod as SVG, with a description for screen
 * readers.
 */
export function chainPicture(callout: CalloutReport): Markup {
  const parts = linksOf(callout);
  const width = parts.length * (size.width + size.gap) - size.gap;
  const description = parts.map(({ link, state }) => `${link}: ${words[state]}`).join(', ');
  return html`<div class="chain"><svg role="img" aria-label="${description}" viewBox="0 0 ${width} ${size.height + 4}" width="${width}" height="${size.height + 4}">${parts.map(box)}</svg></div>`;
}
