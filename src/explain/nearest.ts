import { errorTexts } from '../apiserver/sentences/call-error/error-texts.ts';
import { parseErrorEnding } from '../apiserver/sentences/call-error/parse-call-error.ts';
import { componentTexts } from '../apiserver/sentences/component-texts/component-texts.ts';

const words = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/\b(?!(?:error|from|server)\b)[a-z][a-z0-9]{3,}/g) ?? []);

const known: readonly { readonly says: string; readonly means: string }[] = [
  ...Object.values(errorTexts),
  ...componentTexts,
];

/** The meaning of another program's error; else the known text with most words in common, at least four. */
export function nearestTo(input: string): { readonly says: string; readonly means: string } | undefined {
  const { cause, host } = parseErrorEnding(input) ?? {};
  if (cause !== undefined && cause.kind !== 'other') {
    const { says, means } = errorTexts[cause.kind];
    return {
      says,
      means: `The message does not show whether the API server made this call${host === undefined ? '' : ` to ${host}`}. If another program made it, no webhook is involved: check the settings of that program. Otherwise: ${means}`,
    };
  }
  const given = words(input);
  const [best] = known
    .map(({ says, means }) => {
      const own = words(says);
      const common = [...own].filter((word) => given.has(word)).length;
      return { says, means, common, share: common / own.size };
    })
    .filter(({ common, share }) => common >= 4 && share >= 0.4)
    .sort((a, b) => b.share - a.share);
  return best && { says: best.says, means: best.means };
}
