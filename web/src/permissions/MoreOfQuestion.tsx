import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { type CheckSearch, consistencies, needsToken, readContext } from './check-search.ts'

interface MoreOfQuestionProps {
  search: CheckSearch
  onChange: (search: CheckSearch) => void
  contextError: string | undefined
  tokenError: string | undefined
}

/** What most questions do without: values for caveats, and how old the answer may be. */
export function MoreOfQuestion({ search, onChange, contextError, tokenError }: MoreOfQuestionProps) {
  const { context = '', consistency = '', token = '' } = search
  const isWrong = readContext(context) === undefined
  return (
    <details className="mt-3" open={search.context || search.consistency ? true : undefined}>
      <summary className="w-fit cursor-pointer py-1 text-ink2 hover:text-ink">Context and consistency</summary>
      <div className="mt-2 grid gap-4 sm:grid-cols-2">
        <TextArea
          label="Context"
          hint="Values for caveats, as a JSON object. What a relationship says itself comes first."
          error={isWrong ? 'This is no JSON object.' : contextError}
          placeholder='{"hour": 10}'
          spellCheck={false}
          className="font-mono text-[13px]"
          value={context}
          onChange={({ target }) => onChange({ ...search, context: target.value })}
        />
        <div className="grid content-start gap-4">
          <Select
            label="Consistency"
            options={consistencies}
            value={consistency}
            onChange={({ target }) => onChange({ ...search, consistency: target.value })}
          />
          {needsToken(consistency) && (
            <Field
              label="Revision"
              hint="The token of an earlier answer or write."
              error={tokenError}
              className="font-mono text-[13px]"
              value={token}
              onChange={({ target }) => onChange({ ...search, token: target.value })}
            />
          )}
        </div>
      </div>
    </details>
  )
}
