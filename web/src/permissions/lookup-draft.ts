import type { SubjectReference } from '@passport/contract/permission-terms'
import type { Option } from '../ui/Select.tsx'
import { readContext, writtenObject, writtenReference } from './check-search.ts'
import type { LookupSearch } from './lookup-search.ts'
import { printReference } from './reference.ts'

/** What is being filled in: whom or what it is about, the one to compare with, and what is asked. */
export interface LookupDraft {
  about: SubjectReference
  with: SubjectReference | undefined
  /** The token of the moment to compare with; empty while it is being picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

/** What can be chosen for a draft. */
export interface LookupOptions {
  /** Whether a permission must be chosen. */
  needsPermission?: boolean
  typeOptions: (draft: LookupDraft) => Option[]
  permissionOptions: (draft: LookupDraft) => Option[]
}

/** What an address says, whether or not it can be asked. */
export function draftOf(search: LookupSearch, name: 'subject' | 'resource', likely: string): LookupDraft {
  // What is no reference is kept as it was written, so that somebody can mend it.
  const read = name === 'subject' ? writtenReference : writtenObject
  return {
    about: read(search[name], likely),
    with: search.with === undefined ? undefined : read(search.with, likely),
    since: search.with ? undefined : search.since,
    type: search.type ?? '',
    permission: search.permission ?? '',
    context: search.context ?? '',
  }
}

/** With what is chosen where nothing is said. */
export function settled(draft: LookupDraft, { needsPermission, permissionOptions }: LookupOptions): LookupDraft {
  if (!needsPermission || draft.permission !== '') return draft
  return { ...draft, permission: chosen(permissionOptions(draft), 'view') }
}

/** What could be chosen before, and cannot any more, is given up. */
export function changed(before: LookupDraft, part: Partial<LookupDraft>, options: LookupOptions): LookupDraft {
  const { permissionOptions, typeOptions } = options
  const draft = { ...before, ...part }
  const kept = (value: string, was: Option[], is: Option[]) =>
    has(was, value) && !has(is, value) ? chosen(is, options.needsPermission ? 'view' : '') : value
  const permission = kept(draft.permission, permissionOptions(before), permissionOptions(draft))
  const withPermission = { ...draft, permission }
  return { ...withPermission, type: kept(draft.type, typeOptions(before), typeOptions(withPermission)) }
}

const has = (options: Option[], value: string) => options.some((option) => option.value === value)
const chosen = (options: Option[], wanted: string) => (has(options, wanted) ? wanted : (options[0]?.value ?? ''))

/** Whether it says enough to be asked. */
export const isWhole = ({ about, permission, context }: LookupDraft, { needsPermission }: LookupOptions): boolean =>
  about.id.trim() !== '' && (!needsPermission || permission !== '') && readContext(context) !== undefined

/** The address of what is filled in. */
export function searchOf(
  { about, type, permission, context, ...draft }: LookupDraft,
  name: 'subject' | 'resource',
): LookupSearch {
  const print = (reference: SubjectReference) => printReference({ ...reference, id: reference.id.trim() })
  return {
    [name]: print(about),
    ...(draft.with && draft.with.id.trim() !== '' && { with: print(draft.with) }),
    ...(!draft.with && draft.since && { since: draft.since }),
    ...(type && { type }),
    ...(permission && { permission }),
    ...(context.trim() && { context: context.trim() }),
  }
}
