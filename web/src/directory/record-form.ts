import { ApiError } from '@passport/contract/call'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, type UseFormReturn, useForm } from 'react-hook-form'
import { toFailure } from '../app/api.ts'
import { type OfferedDraft, useDraft } from '../app/drafts.ts'
import { Cancelled } from '../app/reauthentication.ts'
import type { Difference } from '../ui/CompareDialog.tsx'
import type { Failure } from '../ui/ErrorCard.tsx'
import { compareVersions, isEqual, mergeVersions } from './three-way-merge.ts'

/** A record as shown in the form, and its version; undefined for a new record. */
export interface Saved<V, R = unknown> {
  values: V
  version?: number
  /** The record as it was read at this version, also with what the form does not show. */
  record?: R
}

export interface RecordFormOptions<V extends FieldValues, R = unknown> {
  /** The server's values. An unchanged form follows them; typed values are never replaced. */
  saved: Saved<V, R>
  /** The label of each field. */
  labels: { [K in keyof V]: string }
  /**
   * Saves the values; rejects with the call's error. `ifMatch` belongs in the options of the call. A PUT sends `record`, the
   * one of that version, with the values: what the form does not show stays as it is. Returns the saved record, or its
   * `version` with the `record`.
   */
  save: (values: V, options: { ifMatch?: string }, record: R) => Promise<unknown>
  /** Reloads the server's values after a 412. Creation forms need none. */
  reload?: () => Promise<Saved<V, R>>
  /** The field of an error code without one: `{ 'email-taken': 'email' }`. */
  fieldByCode?: { [code: string]: Path<V> }
  /** Called after a successful save, when leaving no longer asks. */
  onSaved?: (response: unknown) => void
}

export interface RecordForm<V extends FieldValues> {
  /** The react-hook-form: pass `register('name')` to a `Field`. */
  form: UseFormReturn<V>
  /** The draft kept when the page left for a sign-in. */
  draft: OfferedDraft | undefined
  /** Returns the error of a field. */
  errorOf: (name: Path<V>) => string | undefined
  isDirty: boolean
  /** Whether a field has an error that typing has not removed yet. */
  hasFieldErrors: boolean
  isSaving: boolean
  /** A failure that belongs to no field. */
  failure: Failure | undefined
  conflict: { differences: Difference[]; save: (choices: Choices) => void; close: () => void } | undefined
  submit: () => void
  discard: () => void
  /** The saved record into which the values are typed. */
  base: () => Saved<V>
  /** Whether leaving would lose changes, evaluated on leaving. */
  hasChanges: () => boolean
}
type Choices = Record<string, 'mine' | 'theirs'>

/**
 * A form for a record: it saves against the opened version, shows the server's validation errors at their fields, and
 * compares both versions after a concurrent change (412). Rendered by `RecordFormFrame`.
 *
 *     const toSaved = (org: Org) => ({ values: { name: org.name }, version: org.version, record: org })
 *     const record = useRecordForm({ saved: toSaved(org), labels: { name: 'Name' },
 *       save: (values, options, org) => call(putOrg, { params, body: { ...org, ...values } }, options),
 *       reload: async () => toSaved(await call(getOrg, { params })) })
 *     <RecordFormFrame record={record} recordLabel="this organisation"><Field label="Name" error={record.errorOf('name')} {...record.form.register('name')} /></RecordFormFrame>
 */
export function useRecordForm<V extends FieldValues, R = unknown>(options: RecordFormOptions<V, R>): RecordForm<V> {
  const { saved, labels, save, reload, fieldByCode = {}, onSaved } = options
  const form = useForm<V>({ defaultValues: saved.values as DefaultValues<V> })
  const { isDirty, errors } = form.formState
  const base = useRef(saved)
  const [isSaving, setSaving] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [latest, setLatest] = useState<Saved<V, R>>()

  useEffect(() => {
    const [version = 0, baseVersion = 0] = [saved.version, base.current.version]
    // What the form does not show can change without a new version.
    const isNewer = version > baseVersion || (version === baseVersion && !isEqual(saved.record, base.current.record))
    if (isDirty || !isNewer || isSaving) return
    base.current = saved
    form.reset(saved.values)
  }, [form, saved, isDirty, isSaving])

  async function submitValues(values: V, { version, record }: Saved<V, R>) {
    setSaving(true)
    setFailure(undefined)
    try {
      const response = await save(values, version === undefined ? {} : { ifMatch: `"${version}"` }, record as R)
      base.current = { ...base.current, values, ...readSaved(response) }
      form.reset(values)
      setLatest(undefined)
      onSaved?.(response)
    } catch (error) {
      await handleError(error)
    } finally {
      setSaving(false)
    }
  }

  async function handleError(error: unknown) {
    if (error instanceof Cancelled) return
    const isStale = error instanceof ApiError && error.status === 412
    if (isStale && reload) {
      try {
        return setLatest(await reload())
      } catch (reloadError) {
        return setFailure(toFailure(reloadError))
      }
    }
    setLatest(undefined)
    const fieldErrors = toFieldErrors(error, Object.keys(labels) as Path<V>[], fieldByCode)
    for (const { field, message } of fieldErrors) form.setError(field, { type: 'server', message })
    if (fieldErrors[0]) form.setFocus(fieldErrors[0].field)
    else setFailure(toFailure(error))
  }

  // Only changed fields: the rest of the record may differ when the draft is restored.
  const draft = useDraft<Partial<V>>(
    Object.keys(labels).join(),
    () => {
      const changed = Object.keys(labels).filter(
        (name) => !isEqual(form.getValues(name as Path<V>), base.current.values[name]),
      )
      const values = changed.map((name) => [name, form.getValues(name as Path<V>)])
      return changed.length > 0 ? (Object.fromEntries(values) as Partial<V>) : undefined
    },
    (draftValues) => {
      for (const [name, value] of Object.entries(draftValues))
        form.setValue(name as Path<V>, value as never, { shouldDirty: true })
    },
  )

  const differences = useMemo(
    () => latest && compareVersions(base.current.values, form.getValues(), latest.values, labels),
    [latest, form, labels],
  )
  return {
    form,
    draft,
    errorOf: (name) => findMessage(errors, name),
    isDirty,
    hasFieldErrors: Object.keys(errors).length > 0,
    isSaving,
    failure,
    conflict:
      latest && differences
        ? {
            differences,
            save: (choices) => {
              const values = mergeVersions(base.current.values, form.getValues(), latest.values, choices)
              form.reset(latest.values)
              for (const [name, value] of Object.entries(values))
                form.setValue(name as Path<V>, value as never, { shouldDirty: true })
              base.current = latest
              void submitValues(values, latest)
            },
            close: () => setLatest(undefined),
          }
        : undefined,
    submit: () => {
      if (!isSaving) void form.handleSubmit((values) => submitValues(values, base.current))()
    },
    discard: () => {
      base.current = saved
      setFailure(undefined)
      form.reset(saved.values)
    },
    base: () => base.current,
    // Not the rendered state, which right after a save would still have the changes.
    hasChanges: () =>
      Object.keys(labels).some((name) => !isEqual(form.getValues(name as Path<V>), base.current.values[name])),
  }
}

/** Returns the version and the record of a response; nothing without a version. */
function readSaved<R>(response: unknown): { version?: number; record?: R } {
  const { version, record = response } = (response ?? {}) as { version?: unknown; record?: unknown }
  return typeof version === 'number' ? { version, record: record as R } : {}
}

interface FieldError<V extends FieldValues> {
  field: Path<V>
  message: string
}

/** Maps an error to its fields; an error of an entry, such as `roles[2]`, belongs to the whole field. */
export function toFieldErrors<V extends FieldValues>(
  error: unknown,
  fields: Path<V>[],
  fieldByCode: { [code: string]: Path<V> },
): FieldError<V>[] {
  const problem = error instanceof ApiError ? error.problem : undefined
  if (!problem) return []
  const entries = (problem.errors ?? []).flatMap(({ field, code, message }) => {
    const knownField = fields.find((name) => name === field.split(/[.[]/)[0]) ?? fieldByCode[code]
    return knownField ? [{ field: knownField, message }] : []
  })
  const codeField = fieldByCode[problem.code]
  if (entries.length === 0 && codeField) return [{ field: codeField, message: problem.detail ?? problem.title }]
  return fields.flatMap((name) => entries.filter(({ field }) => field === name).slice(0, 1))
}

function findMessage(errors: object, name: string): string | undefined {
  const error = (errors as Record<string, { message?: unknown } | undefined>)[name]
  return error ? String(error.message || 'Enter a valid value.') : undefined
}
