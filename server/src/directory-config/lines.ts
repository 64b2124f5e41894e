import type { Change } from './diff.ts'

/** A difference in a line: `changed  role Stage.Editor: description "Edits" → "Edits stages"`. */
export function lineOf(change: Change, verbs: Record<Change['kind'], string>): string {
  const details = change.kind === 'changed' ? `: ${detailsOf(change.here, change.wanted)}` : ''
  return `${verbs[change.kind].padEnd(8)} ${labelOf(change)}${details}`
}

function labelOf(change: Change): string {
  if (change.of !== 'group') return `${change.of} ${change.key}`
  const { name, org } = change.kind === 'missing' ? change.here : change.wanted
  return `group ${name}${org === null ? '' : ` of ${org}`}`
}

type Field = string | string[] | null

function detailsOf(here: object, wanted: object): string {
  return Object.entries(wanted as Record<string, Field>)
    .map(([field, to]) => detailOf(field, (here as Record<string, Field>)[field] ?? '', to ?? ''))
    .filter((detail) => detail !== undefined)
    .join(', ')
}

function detailOf(field: string, from: string | string[], to: string | string[]): string | undefined {
  if (!Array.isArray(from) || !Array.isArray(to))
    return from === to ? undefined : `${field} ${JSON.stringify(from)} → ${JSON.stringify(to)}`
  const more = to.filter((one) => !from.includes(one)).map((one) => `+${one}`)
  const less = from.filter((one) => !to.includes(one)).map((one) => `-${one}`)
  return more.length + less.length === 0 ? undefined : `${field} ${[...more, ...less].join(' ')}`
}
