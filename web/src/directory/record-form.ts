import { ApiError } from '@passport/contract/call'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, type UseFormReturn, useForm } from 'react-hook-form'
import { failureOf } from '../app/api.ts'
import type { Difference } from '../ui/CompareDialog.tsx'
import type { Failure } from '../ui/ErrorCard.tsx'
import { differencesOf, isSame, merged } from './three-way.ts'

/** A record as the form shows it, and its version; none where it is to be created. */
export interface Saved<V> {
  values: V
  version?: number
}

interface RecordFormOptions<V extends FieldValues> {
  /** What the server has. While nothing is typed the form follows it; what is typed is never replaced. */
  saved: Saved<V>
  /** The label of each field. */
  labels: { [K in keyof V]: string }
  /** Writes; rejects with what the call threw. `ifMatch` goes into the options of the call. */
  save: (values: V, options: { ifMatch?: string }) => Promise<unknown>
  /** Asked after a 412: what the server has now. A form that creates needs none. */
  reload?: () => Promise<Saved<V>>
  /** The field that a code without one is about: `{ 'email-taken': 'email' }`. */
  fieldOf?: { [code: string]: Path<V> }
  /** Called once all is saved and the form lets go of the page. */
  onSaved?: (answer: unknown) => void
}

export interface RecordForm<V extends FieldValues> {
  /** Of react-hook-form: `register('name')` into a `Field`. */
  form: UseFormReturn<V>
  /** What is wrong with a field, for its `error`. */
  errorOf: (name: Path<V>) => string | undefined
  isDirty: boolean
  isSaving: boolean
  /** What went wrong that is about no field. */
  failure: Failure | undefined
  conflict: { differences: Difference[]; save: (choices: Choices) => void; close: () => void } | undefined
  submit: () => void
  discard: () => void
  /** Whether leaving would lose something: asked at the moment of leaving. */
  hasChanges: () => boolean
}
type Choices = Record<string, 'mine' | 'theirs'>

/**
 * A form for a record: it saves against the version that it was opened with, ties what the server finds wrong to the
 * fields, and where someone else was faster (412) has both versions compared. Shown by `RecordFormFrame`.
 *
 *     const record = useRecordForm({ saved: { values: { name: group.name }, version: group.version }, labels: { name: 'Name' },
 *       save: (body, options) => call(putGroup, { params, body }, options), reload: async () => savedOf(await call(getGroup, { params })) })
 *     <RecordFormFrame record={record} what="this group"><Field label="Name" error={record.errorOf('name')} {...record.form.register('name')} /></RecordFormFrame>
 */
export function useRecordForm<V extends FieldValues>(options: RecordFormOptions<V>): RecordForm<V> {
  const { saved, labels, save, reload, fieldOf = {}, onSaved } = options
  const form = useForm<V>({ defaultValues: saved.values as DefaultValues<V> })
  const { isDirty, errors } = form.formState
  const base = useRef(saved)
  const [isSaving, setSaving] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [theirs, setTheirs] = useState<Saved<V>>()

  useEffect(() => {
    const isNews = (saved.version ?? 0) > (base.current.version ?? 0)
    if (isDirty || !isNews || isSaving) return
    base.current = saved
    form.reset(saved.values)
  }, [form, saved, isDirty, isSaving])

  async function write(values: V, version: number | undefined) {
    setSaving(true)
    setFailure(undefined)
    try {
      const answer = await save(values, version === undefined ? {} : { ifMatch: `"${version}"` })
      const written = versionOf(answer) ?? version
      base.current = { values, ...(written !== undefined && { version: written }) }
      form.reset(values)
      setTheirs(undefined)
      onSaved?.(answer)
    } catch (error) {
      await explain(error)
    } finally {
      setSaving(false)
    }
  }

  async function explain(error: unknown) {
    const isStale = error instanceof ApiError && error.status === 412
    if (isStale && reload) {
      try {
        return setTheirs(await reload())
      } catch (other) {
        return setFailure(failureOf(other))
      }
    }
    setTheirs(undefined)
    const faults = faultsOf(error, Object.keys(labels) as Path<V>[], fieldOf)
    for (const { field, message } of faults) form.setError(field, { type: 'server', message })
    if (faults[0]) form.setFocus(faults[0].field)
    else setFailure(failureOf(error))
  }

  const differences = useMemo(
    () => theirs && differencesOf(base.current.values, form.getValues(), theirs.values, labels),
    [theirs, form, labels],
  )
  return {
    form,
    errorOf: (name) => messageAt(errors, name),
    isDirty,
    isSaving,
    failure,
    conflict:
      theirs && differences
        ? {
            differences,
            save: (choices) => {
              const values = merged(base.current.values, form.getValues(), theirs.values, choices)
              form.reset(theirs.values)
              for (const [name, value] of Object.entries(values))
                form.setValue(name as Path<V>, value as never, { shouldDirty: true })
              base.current = theirs
              void write(values, theirs.version)
            },
            close: () => setTheirs(undefined),
          }
        : undefined,
    submit: () => {
      if (!isSaving) void form.handleSubmit((values) => write(values, base.current.version))()
    },
    discard: () => {
      base.current = saved
      setFailure(undefined)
      form.reset(saved.values)
    },
    // Not what was rendered last: right after a save that would still be the changes.
    hasChanges: () =>
      Object.keys(labels).some((name) => !isSame(form.getValues(name as Path<V>), base.current.values[name])),
  }
}

const versionOf = (answer: unknown): number | undefined => {
  const { version } = (answer ?? {}) as { version?: unknown }
  return typeof version === 'number' ? version : undefined
}

interface FieldFault<V extends FieldValues> {
  field: Path<V>
  message: string
}

/** What of a refusal is about which field; a fault in an entry, such as `roles[2]`, is about the whole field. */
export function faultsOf<V extends FieldValues>(
  error: unknown,
  fields: Path<V>[],
  fieldOf: { [code: string]: Path<V> },
): FieldFault<V>[] {
  const problem = error instanceof ApiError ? error.problem : undefined
  if (!problem) return []
  const told = (problem.errors ?? []).flatMap(({ field, code, message }) => {
    const known = fields.find((name) => name === field.split(/[.[]/)[0]) ?? fieldOf[code]
    return known ? [{ field: known, message }] : []
  })
  const ofCode = fieldOf[problem.code]
  if (told.length === 0 && ofCode) return [{ field: ofCode, message: problem.detail ?? problem.title }]
  return fields.flatMap((name) => told.filter(({ field }) => field === name).slice(0, 1))
}

function messageAt(errors: object, name: string): string | undefined {
  const error = (errors as Record<string, { message?: unknown } | undefined>)[name]
  return error ? String(error.message || 'This is not right.') : undefined
}
