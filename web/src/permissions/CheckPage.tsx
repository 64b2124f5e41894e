import { checkPermission } from '@passport/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Answer, verdictText } from './Answer.tsx'
import { useAskedSchema } from './asked-schema.ts'
import { CheckFailure } from './CheckFailure.tsx'
import { type CheckSearch, isMeant, questionOf, searchFor, searchOf, type TimedQuestion } from './check-search.ts'
import { useKeptFocus } from './keep-focus.ts'
import { QuestionForm } from './QuestionForm.tsx'
import { SupposedBar } from './SupposedBar.tsx'
import type { KnownSchema } from './schema.ts'
import { useSupposition } from './supposition.ts'
import { ToolHead } from './ToolHead.tsx'

/** Asks whether somebody can do something, and shows why; the question stands in the address. */
export function CheckPage() {
  const schema = useAskedSchema()
  return (
    <div className="max-w-[1240px]">
      <ToolHead
        title="Permission Checker"
        about="Can somebody do something, and why. Every answer is worked out anew."
      />
      <SupposedBar />
      {schema.error && (
        <div className="mt-6">
          <ErrorCard failure={failureOf(schema.error)} onRetry={() => void schema.refetch()} />
        </div>
      )}
      {schema.isPending && (
        <div className="mt-6 rounded-box border border-line bg-card pt-5">
          <Skeleton label="Loading the schema" rows={2} rowClass="h-9" />
        </div>
      )}
      {schema.data && <Checker schema={schema.data} />}
    </div>
  )
}

function Checker({ schema }: { schema: KnownSchema }) {
  const search = searchOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const question = questionOf(search)
  const answer = useAnswer(question)
  const below = useRef<HTMLDivElement>(null)
  useKeptFocus(below)
  const show = (next: CheckSearch) => {
    const isSame = JSON.stringify(searchOf(next as never)) === JSON.stringify(search)
    if (isSame) void answer.refetch()
    else void navigate({ to: '.', search: next as never, resetScroll: false })
  }
  // What was written counts for the misses, the grid and the tree as well.
  const askAgain = () => queryClient.invalidateQueries()
  const shown = question && !answer.error ? answer.data : undefined
  return (
    <>
      <QuestionForm
        schema={schema}
        search={search}
        isBusy={answer.isFetching}
        failure={question && (answer.error ?? undefined)}
        onAsk={show}
      />
      {/* Only what it comes to is read out, not all that is below. */}
      <p role="status" className="sr-only">
        {shown && !answer.isFetching && verdictText(shown)}
      </p>
      <div
        ref={below}
        className={`mt-6 ${shown && answer.isFetching ? 'opacity-50 transition-opacity delay-150' : ''}`}
        aria-busy={answer.isFetching || undefined}
      >
        {!question && <NotAsked isMeant={isMeant(search)} />}
        {question && answer.error && (
          <CheckFailure
            schema={schema}
            question={question}
            error={answer.error}
            onTry={(context) => show({ ...search, ...searchFor({ ...question, context }) })}
            onRetry={() => void answer.refetch()}
          />
        )}
        {question && answer.isLoading && (
          <div className="rounded-box border border-line bg-card pt-5">
            <Skeleton label="Working it out" rows={3} />
          </div>
        )}
        {shown && <Answer {...shown} schema={schema} search={search} onShow={show} onChanged={askAgain} />}
      </div>
    </>
  )
}

/** The answer with what was asked: until the next one is there, the former is shown, and must not stand under its question. */
function useAnswer(question: TimedQuestion | undefined) {
  const whatIf = useSupposition()
  return useQuery({
    queryKey: [checkPermission.path, question, whatIf],
    queryFn: async ({ signal }) => {
      if (!question) throw new Error('Nothing is asked.')
      const body = { ...question, withTrace: true, ...(whatIf && { whatIf }) }
      return { question, whatIf, answer: await call(checkPermission, { body }, { signal }) }
    },
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    // What was true a moment ago is no answer here.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
}

function NotAsked({ isMeant }: { isMeant: boolean }) {
  return (
    <div className="rounded-box border border-line bg-card">
      {isMeant ? (
        <Empty kind="nothing yet" title="This cannot be asked">
          What is wrong with it is told in the question above.
        </Empty>
      ) : (
        <Empty kind="nothing yet" title="Nothing is asked yet">
          Say who, what and on which thing. The answer comes with its reason, and with what would turn it round.
        </Empty>
      )}
    </div>
  )
}
