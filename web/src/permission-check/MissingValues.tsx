import type { CheckRequest } from '@passport/contract/permission-terms'
import { type FormEvent, useState } from 'react'
import type { Context } from '../permissions/check-search.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'

interface MissingValuesProps {
  schema: SchemaWithETag
  question: CheckRequest
  /** The parameters without values. */
  missing: readonly string[]
  /** The service's errors for given values, by parameter. */
  faults?: Readonly<Record<string, string>>
  onTry: (context: Context) => void
}

/** The form of the values that an answer depends on. */
export function MissingValues({ schema, question, missing, faults = {}, onTry }: MissingValuesProps) {
  const rejectedTexts = Object.keys(faults).map((name) => [name, formatTyped(question.context?.[name])])
  const [typed, setTyped] = useState<Record<string, string>>(() => Object.fromEntries(rejectedTexts))
  const [errors, setErrors] = useState(faults)
  const types = Object.fromEntries(
    schema.caveats.flatMap(({ parameters }) => parameters.map(({ name, type }) => [name, type.name])),
  )
  const filled = missing.filter((name) => typed[name]?.trim())

  function changeValue(name: string, text: string) {
    setTyped((all) => ({ ...all, [name]: text }))
    setErrors(({ [name]: _, ...others }) => others)
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const parsed = filled.map((name) => [name, parseTypedValue(typed[name]?.trim() ?? '', types[name])] as const)
    const mismatches = parsed.flatMap(([name, result]) =>
      'wants' in result ? [[name, `\`${name}\` must be ${result.wants}.`]] : [],
    )
    setErrors(Object.fromEntries(mismatches))
    if (mismatches.length > 0) return
    const values = parsed.flatMap(([name, result]) => ('value' in result ? [[name, result.value]] : []))
    onTry({ ...question.context, ...Object.fromEntries(values) })
  }

  return (
    <Card title="Missing context" description="Enter the missing values and check again.">
      <form onSubmit={submit} className="flex flex-wrap items-start gap-3 px-5 pb-5">
        {missing.map((name) => (
          <div key={name} className="min-w-40 flex-1 basis-40 sm:max-w-64">
            <Field
              label={types[name] ? `${name} (${types[name]})` : name}
              error={errors[name]}
              spellCheck={false}
              className="font-mono text-[13px]"
              value={typed[name] ?? ''}
              onChange={({ target }) => changeValue(name, target.value)}
            />
          </div>
        ))}
        {/* Beside the boxes, below the height of a label. */}
        <Button type="submit" variant="primary" disabled={filled.length === 0} className="mt-[27px]">
          Check again
        </Button>
      </form>
    </Card>
  )
}

/** Formats a value of the URL as it would be typed. */
function formatTyped(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Converts text typed for a parameter to its value: JSON for JSON types, and unquoted text for strings. If it is not of
 * the type, returns the expectation in the service's words; bytes, instants, durations and addresses are validated only
 * by the service.
 */
export function parseTypedValue(text: string, type: string | undefined): { value: unknown } | { wants: string } {
  const isText =
    type === 'string' || type === 'bytes' || type === 'timestamp' || type === 'duration' || type === 'ipaddress'
  if (isText) return { value: text }
  const value = parseJsonOrText(text)
  const wants = type === undefined ? undefined : findMismatch(value, type)
  return wants === undefined ? { value } : { wants }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Numbers may also be text, like 64-bit ones. */
function findMismatch(value: unknown, type: string): string | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && isDecimal(value))
  if (type === 'bool') return typeof value === 'boolean' ? undefined : 'a boolean'
  if (type === 'double') return isNumber || /^[-+]?inf$/i.test(String(value)) ? undefined : 'a number'
  if (type === 'list') return Array.isArray(value) ? undefined : 'a list'
  if (type === 'map') return isRecord(value) ? undefined : 'an object'
  if (type !== 'int' && type !== 'uint') return undefined
  if (!isNumber || !Number.isInteger(Number(value))) return 'an integer'
  return type === 'uint' && Number(value) < 0 ? 'a non-negative integer' : undefined
}

const isDecimal = (text: string) => /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
