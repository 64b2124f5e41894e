import { createAssertion } from '@passport/contract/permissions'
import { type FormEvent, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { kinds, type QuestionKind } from './assertions.ts'
import { parseQuestionText } from './question-text.ts'

/** Saves a line as an assertion. */
export function NewAssertionForm({ onSaved }: { onSaved: () => void }) {
  const [line, setLine] = useState('')
  const [kind, setKind] = useState<QuestionKind>('assertTrue')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function save(event: FormEvent) {
    event.preventDefault()
    const question = parseQuestionText(line)
    if (!question) return setError('Use type:id#permission@type:id. Add “with {…}” for caveat context.')
    setBusy(true)
    try {
      await call(createAssertion, { body: { kind, question } })
      setLine('')
      setError(undefined)
      onSaved()
    } catch (failure) {
      setError(toFailure(failure).detail)
    }
    setBusy(false)
  }
  return (
    <form
      aria-label="New assertion"
      onSubmit={(event) => void save(event)}
      className="flex flex-wrap items-start gap-2 border-t border-line px-5 py-4"
    >
      <div className="min-w-0 flex-1 basis-64">
        <Field
          label="Question"
          isLabelHidden
          placeholder="document:roadmap#view@user:ada"
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-[13px]"
          error={error}
          value={line}
          onChange={({ target }) => {
            setLine(target.value)
            setError(undefined)
          }}
        />
      </div>
      <div className="w-44">
        <Select
          label="Expected answer"
          isLabelHidden
          options={kinds}
          value={kind}
          onChange={({ target }) => setKind(target.value as QuestionKind)}
        />
      </div>
      <Button type="submit" isBusy={isBusy} disabled={line.trim() === ''}>
        Add
      </Button>
    </form>
  )
}
