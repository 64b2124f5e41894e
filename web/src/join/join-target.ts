import type { JoinLink, LinkKind } from '@passport/contract/join'

/** What a link leads into. */
export interface JoinTarget {
  kind: LinkKind
  targetId: string
  /** What it is called. */
  name: string
}

/** How many came in, and how many may. */
export function usesOf({ used, maxUses }: Pick<JoinLink, 'used' | 'maxUses'>): string {
  const came = used.toLocaleString('en')
  return maxUses === null ? `${came} joined` : `${came} of ${maxUses.toLocaleString('en')} joined`
}
