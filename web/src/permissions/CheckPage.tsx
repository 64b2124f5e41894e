import { checkPermission } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { failureOf, query } from '../app/api.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Answer } from './Answer.tsx'
import { useAskedSchema } from './asked-schema.ts'
import { type CheckSearch, questionOf, searchOf } from './check-search.ts'
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
  const whatIf = useSupposition()
  const body = { resource: { type: '', id: '' }, permission: '', subject: { type: '', id: '' }, ...question }
  const answer = useQuery({
    ...query(checkPermission, { body: { ...body, withTrace: true, ...(whatIf && { whatIf }) } }),
    enabled: question !== undefined,
    // What was true a moment ago is no answer here.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const show = (next: CheckSearch) => {
    const isSame = JSON.stringify(searchOf(next as never)) === JSON.stringify(search)
    if (isSame) void answer.refetch()
    else void navigate({ to: '.', search: next as never, resetScroll: false })
  }
  return (
    <>
      <QuestionForm
        schema={schema}
        search={search}
        isBusy={answer.isFetching}
        failure={answer.error ?? undefined}
        onAsk={show}
      />
      <div className="mt-6" aria-live="polite">
        {!question && (
          <div className="rounded-box border border-line bg-card">
            <Empty kind="nothing yet" title="Nothing is asked yet">
              Say who, what and on which thing. The answer comes with its reason, and with what would turn it round.
            </Empty>
          </div>
        )}
        {question && answer.error && (
          <ErrorCard failure={failureOf(answer.error)} onRetry={() => void answer.refetch()} />
        )}
        {question && answer.isLoading && (
          <div className="rounded-box border border-line bg-card pt-5">
            <Skeleton label="Working it out" rows={3} />
          </div>
        )}
        {question && answer.data && !answer.error && (
          <Answer
            schema={schema}
            question={question}
            answer={answer.data}
            whatIf={whatIf}
            search={search}
            onShow={show}
            onChanged={() => void answer.refetch()}
          />
        )}
      </div>
    </>
  )
}
