import type { Question } from '@passport/contract/permission-terms'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import type { Context } from './check-search.ts'
import type { KnownSchema } from './schema.ts'

interface MissingValuesProps {
  schema: KnownSchema
  question: Question
  /** The parameters that an answer waits for. */
  missing: readonly string[]
  onTry: (context: Context) => void
}

/** Asks for the values that an answer depends on, and asks again with them. */
export function MissingValues({ schema, question, missing, onTry }: MissingValuesProps) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const types = Object.fromEntries(
    schema.caveats.flatMap(({ parameters }) => parameters.map(({ name, type }) => [name, type.name])),
  )
  const given = missing.filter((name) => typed[name]?.trim())
  function attempt(event: FormEvent) {
    event.preventDefault()
    const values = given.map((name) => [name, typedValue(typed[name]?.trim() ?? '', types[name])])
    onTry({ ...question.context, ...Object.fromEntries(values) })
  }
  return (
    <Card title="What it depends on" about="Give the values that are missing, and ask again.">
      <form onSubmit={attempt} className="flex flex-wrap items-end gap-3 px-5 pb-5">
        {missing.map((name) => (
          <div key={name} className="min-w-40 flex-1 basis-40 sm:max-w-64">
            <Field
              label={types[name] ? `${name} (${types[name]})` : name}
              spellCheck={false}
              className="font-mono text-[13px]"
              value={typed[name] ?? ''}
              onChange={({ target }) => setTyped((all) => ({ ...all, [name]: target.value }))}
            />
          </div>
        ))}
        <Button type="submit" look="primary" disabled={given.length === 0}>
          Try again
        </Button>
      </form>
    </Card>
  )
}

/** As JSON where the type is written so; `fri` of a string needs no quotes. */
function typedValue(text: string, type: string | undefined): unknown {
  const isText =
    type === 'string' || type === 'bytes' || type === 'timestamp' || type === 'duration' || type === 'ipaddress'
  if (isText) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
