import { ApiError } from '@passport/contract/call'
import { failureOf } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { CircleCard } from './CircleCard.tsx'
import type { Context, TimedQuestion } from './check-search.ts'
import { valueFaultsOf } from './faults.ts'
import { MissingValues } from './MissingValues.tsx'
import type { KnownSchema } from './schema.ts'

interface CheckFailureProps {
  schema: KnownSchema
  question: TimedQuestion
  error: Error
  onTry: (context: Context) => void
  onRetry: () => void
}

/** Why there is no answer; what is wrong with a value is mended where values are given. */
export function CheckFailure({ schema, question, error, onTry, onRetry }: CheckFailureProps) {
  const faults = valueFaultsOf(error)
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
  const circle = circleOf(error)
  if (circle.length > 0) return <CircleCard schema={schema} circle={circle} />
  return <ErrorCard failure={failureOf(error)} {...(!isLasting(error) && { onRetry })} />
}

const circleOf = (error: Error): readonly string[] =>
  (error instanceof ApiError && error.problem?.errors?.find(({ circle }) => circle !== undefined)?.circle) || []

/** Whether the same question comes to the same again: it is wrong, or what is stored has to change. */
const isLasting = (error: Error) => error instanceof ApiError && [400, 409, 410, 501].includes(error.status)
