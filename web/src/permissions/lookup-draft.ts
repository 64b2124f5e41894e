import type { SubjectReference } from '@passport/contract/permission-terms'
import type { Option } from '../ui/Select.tsx'
import { parseContext, parseObjectDraft, parseReferenceDraft } from './check-search.ts'
import type { LookupSearch } from './lookup-search.ts'
import { printReference } from './reference.ts'

/** The form's values: the object, the one to compare with, and the question. */
export interface LookupDraft {
  object: SubjectReference
  with: SubjectReference | undefined
  /** The token of the moment to compare with; empty while it is being picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

/** The options for a draft. */
export interface LookupOptions {
  /** Whether a permission must be chosen. */
  needsPermission?: boolean
  typeOptions: (draft: LookupDraft) => Option[]
  permissionOptions: (draft: LookupDraft) => Option[]
}

/** Returns the draft of a URL, valid or not. */
export function parseDraft(search: LookupSearch, name: 'subject' | 'resource', defaultType: string): LookupDraft {
  // Invalid references are kept as written, so that they can be corrected.
  const parse = name === 'subject' ? parseReferenceDraft : parseObjectDraft
  return {
    object: parse(search[name], defaultType),
    with: search.with === undefined ? undefined : parse(search.with, defaultType),
    since: search.with ? undefined : search.since,
    type: search.type ?? '',
    permission: search.permission ?? '',
    context: search.context ?? '',
  }
}

/** Selects a default permission if none is given. */
export function fillDefaults(draft: LookupDraft, { needsPermission, permissionOptions }: LookupOptions): LookupDraft {
  if (!needsPermission || draft.permission !== '') return draft
  return { ...draft, permission: pickDefault(permissionOptions(draft), 'view') }
}

/** Replaces selections that are no longer available. */
export function applyChange(previous: LookupDraft, changes: Partial<LookupDraft>, options: LookupOptions): LookupDraft {
  const { permissionOptions, typeOptions } = options
  const draft = { ...previous, ...changes }
  const keepAvailable = (value: string, oldOptions: Option[], newOptions: Option[]) =>
    hasOption(oldOptions, value) && !hasOption(newOptions, value)
      ? pickDefault(newOptions, options.needsPermission ? 'view' : '')
      : value
  const permission = keepAvailable(draft.permission, permissionOptions(previous), permissionOptions(draft))
  const permittedDraft = { ...draft, permission }
  return { ...permittedDraft, type: keepAvailable(draft.type, typeOptions(previous), typeOptions(permittedDraft)) }
}

const hasOption = (options: Option[], value: string) => options.some((option) => option.value === value)
const pickDefault = (options: Option[], preferred: string) =>
  hasOption(options, preferred) ? preferred : (options[0]?.value ?? '')

/** Whether it is complete enough to be asked. */
export const isComplete = ({ object, permission, context }: LookupDraft, { needsPermission }: LookupOptions): boolean =>
  object.id.trim() !== '' && (!needsPermission || permission !== '') && parseContext(context) !== undefined

/** Returns the search parameters of a draft. */
export function toLookupSearch(
  { object, type, permission, context, ...draft }: LookupDraft,
  name: 'subject' | 'resource',
): LookupSearch {
  const print = (reference: SubjectReference) => printReference({ ...reference, id: reference.id.trim() })
  return {
    [name]: print(object),
    ...(draft.with && draft.with.id.trim() !== '' && { with: print(draft.with) }),
    ...(!draft.with && draft.since && { since: draft.since }),
    ...(type && { type }),
    ...(permission && { permission }),
    ...(context.trim() && { context: context.trim() }),
  }
}
