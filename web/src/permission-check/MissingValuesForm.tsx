import { readValue, WrongValue } from '@passport/permissions/compile'
import { type FormEvent, useState } from 'react'
import type { CheckQuestion, Context } from '../permissions/check-search.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'

export interface MissingValuesProps {
  schema: SchemaWithETag
  question: CheckQuestion
  /** The caveat parameters without a valid value. */
  names: readonly string[]
  /** The service's errors for given values, by parameter. */
  valueErrors?: Readonly<Record<string, string>>
  onTry: (context: Context) => void
}

/** The form of the caveat values that an answer depends on. */
export function MissingValuesForm({ schema, question, names, valueErrors = {}, onTry }: MissingValuesProps) {
  const rejectedTexts = Object.keys(valueErrors).map((name) => [name, formatValue(question.context?.[name])])
  const [typed, setTyped] = useState<Record<string, string>>(() => Object.fromEntries(rejectedTexts))
  const [errors, setErrors] = useState(valueErrors)
  const types = new Map(schema.caveats.flatMap(({ parameters }) => parameters.map(({ name, type }) => [name, type])))
  const filled = names.filter((name) => typed[name]?.trim())

  function changeValue(name: string, text: string) {
    setTyped((all) => ({ ...all, [name]: text }))
    setErrors(({ [name]: _, ...others }) => others)
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const values: Record<string, unknown> = {}
    const mismatches: Record<string, string> = {}
    for (const name of filled) {
      const result = parseTypedValue(typed[name]?.trim() ?? '', types.get(name))
      if ('expected' in result) mismatches[name] = `\`${name}\` must be ${result.expected}.`
      else values[name] = result.value
    }
    setErrors(mismatches)
    if (Object.keys(mismatches).length === 0) onTry({ ...question.context, ...values })
  }

  return (
    <Card title="Missing context" description="Enter the missing values and check again.">
      <form onSubmit={submit} className="flex flex-wrap items-start gap-3 px-5 pb-5">
        {names.map((name) => (
          <div key={name} className="min-w-40 flex-1 basis-40 sm:max-w-64">
            <Field
              label={types.has(name) ? `${name} (${types.get(name)?.name})` : name}
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

/** Formats a value of the URL as a user would type it. */
function formatValue(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type ParameterType = Parameters<typeof readValue>[0]
/** The types whose values are typed without quotes. */
const textTypes = ['string', 'bytes', 'timestamp', 'duration', 'ipaddress']

/** Converts typed text to a value of a caveat parameter. Returns the expectation instead, such as “an integer”. */
export function parseTypedValue(
  text: string,
  type: ParameterType | undefined,
): { value: unknown } | { expected: string } {
  const value = type && textTypes.includes(type.name) ? text : parseJsonOrText(text)
  try {
    if (type) readValue(type, value)
    return { value }
  } catch (error) {
    if (error instanceof WrongValue) return { expected: error.message }
    throw error
  }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
