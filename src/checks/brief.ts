const limit = 120;

/** Openings and endings of the control plane's sentences that say nothing of their own. */
const padding = [
  /^\(combined from similar events\): /,
  /^Error creating: /,
  /^Create Pod \S+ in StatefulSet \S+ failed error: /,
  /^pods "[^"]*" is forbidden: /,
  /^Internal error occurred: /,
  / no new claims to deallocate, preemption: .*$/,
  / preemption: 0\/\d+ nodes are available.*$/,
  /[.\s]+$/,
];

/** A sentence of the cluster, short enough for a headline; whole it stands in the evidence. */
export function brief(text: string): string {
  const plain = padding.reduce((rest, pattern) => rest.replace(pattern, ''), text);
  if (plain.length <= limit) return plain;
  const cut = plain.slice(0, limit);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), limit / 2))} …`;
}
