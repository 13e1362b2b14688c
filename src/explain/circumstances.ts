import { stripVTControlCharacters } from 'node:util';
import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';

/**
 * Statements about circumstances that people write down beside an error. The checks that explain them are likelier then.
 * They never add a cause: they move one of the causes of the error to the front. A word alone (`NetworkPolicy`, `MTU`) is
 * none: file names, the output of commands and denials contain it, too.
 */
const circumstances: readonly {
  readonly says: RegExp;
  readonly as: KnownText;
  /** What cancels the statement if its sentence contains it afterwards. */
  readonly unless?: RegExp;
  /** What cancels the statement if the text contains it after the last one; of the object `again`, if it names one. */
  readonly undone?: RegExp;
}[] = [
  {
    // Not what Helm writes with --atomic, which uninstalls a release that did not start.
    says: /\b(?:I|we|after|was|were|been) (?:just |have |had |then |already |also )?uninstall(?:ed|ing)\b(?! due to)|(?:\b(?:I |we )|^(?:> )*)deleted (?:the |its |my |our )?(?:[\w-]+ )?namespace\b(?! of\b)|\bnamespace (?:was |is |has been )?(?:deleted|removed)\b/gim,
    as: 'said-removed',
    // A namespace that stays, and a release that replaces another one.
    unless: /\b(?:terminating|stuck|finalizers?|(?:was|were|got) installed)\b/i,
  },
  {
    says: /\b(?:race condition|(?:recovers|recovered|works|worked|succeeds|succeeded|passes|passed) (?:a few |some |\d+ )?seconds later|seconds later (?:it|this) (?:works|worked|succeeds|succeeded|passes|passed)|(?:succeeds|succeeded|works|worked|passes|passed) (?:on|after|when|with) (?:a |the )?(?:retry\b|retrying|rerun|(?:second|third|next|few|some|couple of) (?:try|tries|attempts?|runs?|retries|times|seconds|minutes))|(?:second|next) (?:try|attempt|run|apply) (?:works|worked|succeeds|succeeded|passes|passed)|(?:right|just|immediately|directly|shortly) after (?:\w+ )?(?:installing|installation|deploying|restarting|restart|startup|starting|creating|upgrading|a rollout|(?:a |\w+ )?rolling update))\b/gi,
    as: 'said-starting',
  },
  {
    // What kubectl prints when it creates a workload, or has waited for it.
    says: /(?<=^[>\s]{0,8}(?:\[[^\]\n]{1,40}\] )?)(?:deployment|daemonset|pod)(?:\.apps)?[/ ]"?[\w.-]+"? (?:created|condition met|successfully rolled out)\b/gim,
    as: 'shown-rollout',
  },
  {
    // What kubectl and `helm uninstall --debug` print when they delete it.
    says: /\bStarting delete for "[\w.-]+" (?:Service|Deployment|DaemonSet)\b|(?<=^[>\s]{0,8})(?:service|deployment\.apps|daemonset\.apps) "[\w.-]+" (?:force )?deleted\b/gim,
    as: 'shown-removal',
    // Of a replacement of the same object.
    undone:
      /^[>\s]{0,8}(?:service|deployment|daemonset)(?:\.apps)?\/(?<again>\S+) (?:created|replaced|configured)\b|\bcreating \d+ resource/gim,
  },
  {
    says: /\bprivate (?:GKE |EKS |AKS |kubernetes )?cluster\b|\b(?:firewalls?|security groups?)(?: rules?)?\b[^.;,:\n]{0,40}\b(?:blocks?|blocked|drops?|dropped|den(?:y|ies|ied)|lacks?|misses|missing|(?:do|does|did) not (?:allow|permit|cover|include|open))\b/gi,
    as: 'said-firewall',
  },
  {
    says: /\bnetwork ?polic(?:y|ies)\b[^.;,:\n]{0,40}\b(?:blocks?|blocked|drops?|dropped|den(?:y|ies|ied)|only|(?:do|does|did) not (?:allow|permit|admit|cover|include)|enabled)\b|\b(?:have|has|with|use|uses) (?:a |the )?default[- ]deny\b/gi,
    as: 'said-network-policy',
  },
  {
    says: /\b(?:is|are|runs?|sits?) behind (?:an? |our |the )?(?:corporate |http )?proxy\b|\bno_proxy\b[^.;,:\n]{0,40}\b(?:lacks?|lacked|misses|missing|(?:do|does|did) not (?:contain|include|have|list))\b/gi,
    as: 'said-proxy',
  },
  {
    says: /\b(?:runs?|running|uses?|using|enabled) (?:firewalld|ufw)\b|\b(?:firewalld|ufw) (?:runs|is (?:running|active|enabled)|blocks|drops)\b|\b(?:vxlan|MTU|checksum(?:s|ming)?|checksum offload\w*)\b[^.;,:\n]{0,40}\b(?:lower|smaller|larger|differs?|different|mismatch\w*|wrong|broken|bugs?|los[et]|loses|lossy|drops?|dropped|corrupt\w*)\b|\b(?:lower|smaller|larger|different|wrong|broken|mismatched|bugs?|loses?|lost|drops?|dropped)\b[^.;,:\n]{0,40}\b(?:vxlan|MTU|checksums?)\b/gi,
    as: 'said-packet-filter',
  },
  {
    says: /\b(?:all|any|every) (?:\w+ )?webhooks? (?:calls? )?(?:fails?|failed|times? out|timed out|is failing|are failing|stops?|stopped)\b|\b(?:happens|occurs|fails) (?:with|for|to|on) (?:all|any|every) (?:\w+ )?webhooks?\b|\bcalls to (?:all|any|every) webhooks? (?:fail|time out)\b/gi,
    as: 'said-all-webhooks',
  },
];

/** Words before or after a statement, in its sentence, with which it is a denial, a question or a guess. */
const notSo = {
  before:
    /\b(?:no|not|none|never|nothing|nobody|without|cannot|neither|nor|if|whether|unless|could|would|might|may|should|maybe|perhaps|suspect\w*|check\w*|verif\w*|ensure|removed|disabled)\b|n['’]t\b/i,
  after:
    /^[^.;,\n]{0,20}\b(?:no|none|not|neither|disabled|off|stopped|inactive|false|untouched)\b|^[^.;\n]{0,80}\?|^[^\n]{0,200}\b(?:re-?install(?:ed|ing)|installed (?:[\w-]+ ){0,3}again)\b/i,
};

/** Only the beginning is searched: a description, not a long log. */
const longest = 20_000;
/** Characters of a sentence that are searched before a statement. */
const before = 120;

/** The rest of a sentence; a full stop inside a version does not end it. */
const rest = /^(?:[^.;?!\n]|\.\S){0,120}/;

/** A circumstance that a text states, and the sentences that do. */
export interface Circumstance {
  readonly as: KnownText;
  readonly sentences: readonly string[];
}

/** The circumstances that the text states, in the order of this list; one that it also denies is not stated. */
export function circumstancesIn(input: string): readonly Circumstance[] {
  const text = stripVTControlCharacters(input.slice(0, longest));
  return circumstances.flatMap(({ says, as, unless, undone }) => {
    const all = [...text.matchAll(says)];
    const found = all.map(({ 0: words, index }) => {
      const [start = ''] = text
        .slice(Math.max(0, index - before), index)
        .split(/[.;:?!\n]/)
        .slice(-1);
      const after = text.slice(index + words.length);
      const [end = ''] = rest.exec(after) ?? [];
      const isDenied = notSo.before.test(start) || notSo.after.test(after) || unless?.test(end) === true;
      return { isDenied, sentence: `${start}${words}${end}` };
    });
    const later = text.slice(all.at(-1)?.index);
    const isUndone = [...(undone === undefined ? [] : later.matchAll(undone))].some(
      ({ groups: { again } = {} }) =>
        again === undefined || all.some(([words]) => words.includes(`"${again}"`)),
    );
    return found.length === 0 || isUndone || found.some(({ isDenied }) => isDenied)
      ? []
      : [{ as, sentences: found.map(({ sentence }) => sentence) }];
  });
}
