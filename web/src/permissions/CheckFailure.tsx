import { ApiError } from '@passport/contract/call'
import { toFailure } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { CycleCard } from './CycleCard.tsx'
import type { Context, TimedQuestion } from './check-search.ts'
import { toValueErrors } from './faults.ts'
import { MissingValues } from './MissingValues.tsx'
import type { SchemaWithETag } from './schema.ts'

interface CheckFailureProps {
  schema: SchemaWithETag
  question: TimedQuestion
  error: Error
  onTry: (context: Context) => void
  onRetry: () => void
}

/** Explains why there is no answer; invalid context values can be corrected here. */
export function CheckFailure({ schema, question, error, onTry, onRetry }: CheckFailureProps) {
  const faults = toValueErrors(error)
  if (Object.keys(faults).length > 0)
    return (
      <MissingValues
        key={JSON.stringify([faults, question.context])}
        schema={schema}
        question={question}
        missing={Object.keys(faults)}
        faults={faults}
        onTry={onTry}
      />
    )
  const cycle = findCycle(error)
  if (cycle.length > 0) return <CycleCard schema={schema} cycle={cycle} />
  return <ErrorCard failure={toFailure(error)} {...(!isPermanent(error) && { onRetry })} />
}

const findCycle = (error: Error): readonly string[] =>
  (error instanceof ApiError && error.problem?.errors?.find(({ circle }) => circle !== undefined)?.circle) || []

/** Whether a retry would fail again: the question is invalid, or the stored data must change. */
const isPermanent = (error: Error) => error instanceof ApiError && [400, 409, 410, 501].includes(error.status)
