import type { Question } from '@passport/contract/permission-terms'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import type { Context } from './check-search.ts'
import type { KnownSchema } from './schema.ts'
import { typedValue } from './typed-value.ts'

interface MissingValuesProps {
  schema: KnownSchema
  question: Question
  /** The parameters that an answer waits for. */
  missing: readonly string[]
  /** What the service found wrong with values that were given, by parameter. */
  faults?: Readonly<Record<string, string>>
  onTry: (context: Context) => void
}

/** Asks for the values that an answer depends on, and asks again with them. */
export function MissingValues({ schema, question, missing, faults = {}, onTry }: MissingValuesProps) {
  const refused = Object.keys(faults).map((name) => [name, asTyped(question.context?.[name])])
  const [typed, setTyped] = useState<Record<string, string>>(() => Object.fromEntries(refused))
  const [wrong, setWrong] = useState(faults)
  const types = Object.fromEntries(
    schema.caveats.flatMap(({ parameters }) => parameters.map(({ name, type }) => [name, type.name])),
  )
  const given = missing.filter((name) => typed[name]?.trim())

  function change(name: string, text: string) {
    setTyped((all) => ({ ...all, [name]: text }))
    setWrong(({ [name]: _, ...others }) => others)
  }

  function attempt(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const read = given.map((name) => [name, typedValue(typed[name]?.trim() ?? '', types[name])] as const)
    const unfit = read.flatMap(([name, one]) => ('wants' in one ? [[name, `\`${name}\` wants ${one.wants}.`]] : []))
    setWrong(Object.fromEntries(unfit))
    if (unfit.length > 0) return
    const values = read.flatMap(([name, one]) => ('value' in one ? [[name, one.value]] : []))
    onTry({ ...question.context, ...Object.fromEntries(values) })
  }

  return (
    <Card title="What it depends on" about="Give the values that are missing, and ask again.">
      <form onSubmit={attempt} className="flex flex-wrap items-start gap-3 px-5 pb-5">
        {missing.map((name) => (
          <div key={name} className="min-w-40 flex-1 basis-40 sm:max-w-64">
            <Field
              label={types[name] ? `${name} (${types[name]})` : name}
              error={wrong[name]}
              spellCheck={false}
              className="font-mono text-[13px]"
              value={typed[name] ?? ''}
              onChange={({ target }) => change(name, target.value)}
            />
          </div>
        ))}
        {/* Beside the boxes, below the height of a label. */}
        <Button type="submit" look="primary" disabled={given.length === 0} className="mt-[27px]">
          Try again
        </Button>
      </form>
    </Card>
  )
}

/** A value that stands in the address as it would be typed. */
function asTyped(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
