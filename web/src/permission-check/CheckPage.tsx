import { checkPermission } from '@passport/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import {
  type CheckQuestion,
  type CheckSearch,
  hasQuestion,
  parseCheckSearch,
  toCheckSearch,
  toQuestion,
} from '../permissions/check-search.ts'
import { Examples, useSavedQuestions } from '../permissions/Examples.tsx'
import { FoldedQuestion } from '../permissions/FoldedQuestion.tsx'
import { useFocusRestore } from '../permissions/keep-focus.ts'
import { ObjectLabel, ObjectPicture } from '../permissions/ObjectName.tsx'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { useQuestionSchema, useWhatIf } from '../permissions/what-if.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ToolHeader } from '../ui/ToolHeader.tsx'
import { Answer, formatAnswer } from './Answer.tsx'
import { CheckFailure } from './CheckFailure.tsx'
import { QuestionForm } from './QuestionForm.tsx'

/** The page to check a permission, with the reason for the answer; the question is in the URL. */
export function CheckPage() {
  const schema = useQuestionSchema()
  return (
    <div>
      <ToolHeader
        title="Permission checker"
        description="Test whether a subject has a permission, and see why."
        menu={<PageMenu />}
      />
      <WhatIfBar />
      {schema.error && <ErrorCard failure={toFailure(schema.error)} onRetry={() => void schema.refetch()} />}
      {schema.isPending && (
        <div className="card pt-5">
          <Skeleton label="Loading schema" rows={2} rowClass="h-9" />
        </div>
      )}
      {schema.data && <Checker schema={schema.data} />}
    </div>
  )
}

function Checker({ schema }: { schema: SchemaWithETag }) {
  const search = parseCheckSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const question = toQuestion(search)
  const answer = useAnswer(question)
  const answerArea = useRef<HTMLDivElement>(null)
  useFocusRestore(answerArea)
  const show = (next: CheckSearch) => {
    const isSameQuestion = JSON.stringify(parseCheckSearch(next as never)) === JSON.stringify(search)
    if (isSameQuestion) void answer.refetch()
    else void navigate({ to: '.', search: next as never, resetScroll: false })
  }
  // A written relationship also affects the closest misses, the permissions and the tree.
  const refetchAll = () => queryClient.invalidateQueries()
  const current = question && !answer.error ? answer.data : undefined
  return (
    <>
      <FoldedQuestion
        question={question && !answer.error ? JSON.stringify(search) : undefined}
        summary={
          question && (
            <>
              Can <ObjectLabel object={question.subject} /> {question.permission}{' '}
              <ObjectLabel object={question.resource} />?
            </>
          )
        }
      >
        <QuestionForm
          schema={schema}
          search={search}
          isBusy={answer.isFetching}
          failure={question && (answer.error ?? undefined)}
          onSubmit={show}
        />
      </FoldedQuestion>
      {/* Announces only the verdict, not everything below. */}
      <p role="status" className="sr-only">
        {current && !answer.isFetching && formatAnswer(current, schema)}
      </p>
      <div
        ref={answerArea}
        className={`mt-4 ${current && answer.isFetching ? 'opacity-50 transition-opacity delay-150' : ''}`}
        aria-busy={answer.isFetching || undefined}
      >
        {!question && <NoQuestion isInvalid={hasQuestion(search)} />}
        {question && answer.error && (
          <CheckFailure
            schema={schema}
            question={question}
            error={answer.error}
            onTry={(context) => show({ ...search, ...toCheckSearch({ ...question, context }) })}
            onRetry={() => void answer.refetch()}
          />
        )}
        {question && answer.isLoading && (
          <div className="card pt-5">
            <Skeleton label="Checking" rows={3} />
          </div>
        )}
        {current && <Answer {...current} schema={schema} search={search} onShow={show} onChanged={refetchAll} />}
      </div>
    </>
  )
}

/**
 * Queries the answer, together with its question and the applied what-if changes: the previous answer stays while
 * loading, and must not appear under the new question.
 */
function useAnswer(questionOfUrl: CheckQuestion | undefined) {
  const whatIf = useWhatIf()
  const question = questionOfUrl && { ...questionOfUrl, ...(whatIf && { whatIf }) }
  return useQuery({
    queryKey: [checkPermission.path, { body: question && { ...question, withTrace: true } }],
    queryFn: async ({ signal }) => {
      if (!question) throw new Error('The question is incomplete.')
      return { question, answer: await call(checkPermission, { body: { ...question, withTrace: true } }, { signal }) }
    },
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    // Every visit checks again: an answer changes with the stored relationships.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
}

/** Offers the checks of saved assertions. */
function SavedChecks() {
  const examples = useSavedQuestions().map((question) => ({
    search: toCheckSearch(question),
    content: (
      <>
        <ObjectPicture object={question.subject} size={22} />
        <ObjectLabel object={question.subject} />
        <span className="font-normal text-ink2">{question.permission}</span>
        <ObjectPicture object={question.resource} size={22} />
        <ObjectLabel object={question.resource} />
      </>
    ),
  }))
  return (
    <Empty kind="nothing yet" title="No check yet">
      Choose a subject, a permission and a resource{examples.length > 0 ? ', or repeat a saved check.' : '.'}
      <Examples examples={examples} />
    </Empty>
  )
}

function NoQuestion({ isInvalid }: { isInvalid: boolean }) {
  return (
    <div className="card">
      {isInvalid ? (
        <Empty kind="nothing yet" title="Invalid check">
          Correct the fields marked above.
        </Empty>
      ) : (
        <SavedChecks />
      )}
    </div>
  )
}
