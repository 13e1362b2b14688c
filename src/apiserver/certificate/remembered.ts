/** Characters of content that are remembered; then all are forgotten. */
const most = 16 * 1024 * 1024;

/**
 * Answers that depend on a content and on nothing else. One run meets the same certificates over and over: in many
 * callouts, in what replicas present, in Secrets, check after check.
 *
 * @param content text, or bytes as latin1.
 */
export function remembered<Answer>(answer: (content: string) => Answer): (content: string) => Answer {
  const known = new Map<string, Answer>();
  let held = 0;
  return (content) => {
    const found = known.get(content);
    if (found !== undefined) return found;
    const made = answer(content);
    if (content.length > most) return made;
    if (held + content.length > most) {
      known.clear();
      held = 0;
    }
    held += content.length;
    known.set(content, made);
    return made;
  };
}
