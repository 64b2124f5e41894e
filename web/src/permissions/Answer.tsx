import type { Question } from '@passport/contract/permission-terms'
import type { CheckAnswer } from '@passport/contract/permissions'
import { printQuestion } from '@passport/permissions'
import { Card } from '../ui/Card.tsx'
import { AnswerCopies } from './AnswerCopies.tsx'
import { ClosestMiss } from './ClosestMiss.tsx'
import { type CheckSearch, type TimedQuestion, toCheckSearch } from './check-search.ts'
import { ExpandCard } from './ExpandCard.tsx'
import { MissingValues } from './MissingValues.tsx'
import { ObjectName } from './ObjectName.tsx'
import { PermissionGrid } from './PermissionGrid.tsx'
import { printReference } from './reference.ts'
import type { SchemaWithETag } from './schema.ts'
import { TracePath } from './TracePath.tsx'
import { TraceTree } from './TraceTree.tsx'
import { formatDuration, traceDepth } from './trace-view.ts'
import { Stamp, verdictWord } from './Verdict.tsx'
import type { WhatIfState } from './what-if.ts'

interface AnswerProps {
  schema: SchemaWithETag
  question: TimedQuestion
  answer: CheckAnswer
  /** The supposition of the answer. */
  whatIf: WhatIfState | undefined
  search: CheckSearch
  onShow: (search: CheckSearch) => void
  /** Called after relationships were written. */
  onChanged: () => unknown
}

/**
 * The verdict with its reason, the changes that would reverse it, and the subject's other permissions on the resource.
 */
export function Answer({ schema, question, answer, whatIf, search, onShow, onChanged }: AnswerProps) {
  const { permissionship, partialCaveatMissing, debugTrace } = answer
  const questionText = printQuestion(question)
  const answerKey = `${questionText} ${JSON.stringify(whatIf)} ${answer.checkedAt}`
  return (
    <div className="grid grid-cols-1 gap-6">
      <section
        aria-label="Answer"
        className={`guilloche flex flex-wrap items-center gap-x-6 gap-y-4 rounded-box border bg-card px-5 py-5 ${whatIf ? 'border-dashed border-edge' : 'border-line'}`}
      >
        <Stamp key={`${JSON.stringify(question)}${permissionship}`} permissionship={permissionship} />
        <div className="min-w-0 flex-1 basis-72">
          <Sentence question={question} answer={answer} />
          <p className="mt-1 text-[13px] text-ink3">
            {answer.reason && (
              <>
                reason <code className="font-mono text-ink2">{answer.reason}</code> ·{' '}
              </>
            )}
            {debugTrace && (
              <>
                {formatDuration(debugTrace.duration)} · depth {traceDepth(debugTrace)} ·{' '}
              </>
            )}
            {whatIf && (
              <>
                <b className="font-[620] text-warn">hypothetical</b>
                {answer.leftOut !== undefined && answer.leftOut > 0 && (
                  <>, {answer.leftOut.toLocaleString('en')} stored relationships ignored (not allowed by the schema)</>
                )}{' '}
                ·{' '}
              </>
            )}
            revision <code className="font-mono [overflow-wrap:anywhere]">{answer.checkedAt}</code>
          </p>
        </div>
        <AnswerCopies question={question} permissionship={permissionship} whatIf={whatIf} />
      </section>
      {permissionship === 'conditional' && (
        <MissingValues
          key={partialCaveatMissing.join()}
          schema={schema}
          question={question}
          missing={partialCaveatMissing}
          onTry={(context) => onShow({ ...search, ...toCheckSearch({ ...question, context }) })}
        />
      )}
      {debugTrace && (
        <Card
          title="Why"
          description={
            search.view === 'path' ? 'Only the steps that decided the answer.' : 'Every step of the evaluation.'
          }
          action={<ViewChoice search={search} onShow={onShow} />}
        >
          {search.view === 'path' ? <TracePath trace={debugTrace} /> : <TraceTree key={answerKey} trace={debugTrace} />}
        </Card>
      )}
      <ClosestMiss
        key={`misses ${questionText}`}
        question={question}
        whatIf={whatIf}
        permissionship={permissionship}
        onChanged={onChanged}
      />
      <PermissionGrid
        key={`grid ${printQuestion({ ...question, permission: '' })}`}
        question={question}
        whatIf={whatIf}
        search={search}
      />
      <ExpandCard key={`expand ${questionText}`} question={question} whatIf={whatIf} />
    </div>
  )
}

const verbs = { hasPermission: 'has', noPermission: 'does not have', conditional: 'may have' } as const

/** Formats an answer as a sentence for screen readers. */
export function verdictText({ question, answer }: Pick<AnswerProps, 'question' | 'answer'>): string {
  const { subject, permission, resource } = question
  const { permissionship, partialCaveatMissing: missing } = answer
  const sentence = `${printReference(subject)} ${verbs[permissionship]} ${permission} on ${printReference(resource)}`
  const needs = permissionship === 'conditional' && missing.length > 0 ? `; it depends on ${missing.join(', ')}` : ''
  return `${verdictWord(permissionship)}: ${sentence}${needs}.`
}

function Sentence({
  question: { subject, permission, resource },
  answer,
}: {
  question: Question
  answer: CheckAnswer
}) {
  const code = 'font-mono text-[13.5px] [overflow-wrap:anywhere]'
  return (
    <p className="text-[15px]">
      <code className={code}>{printReference(subject)}</code>
      <ObjectName {...subject} /> {verbs[answer.permissionship]} <code className={code}>{permission}</code> on{' '}
      <code className={code}>{printReference(resource)}</code>
      <ObjectName {...resource} />
      {answer.permissionship === 'conditional' && answer.partialCaveatMissing.length > 0 && (
        <>
          ; it depends on <code className={code}>{answer.partialCaveatMissing.join(', ')}</code>
          {answer.residual !== undefined && (
            <>
              , and holds if <code className={code}>{answer.residual}</code>
            </>
          )}
        </>
      )}
      .
    </p>
  )
}

function ViewChoice({ search, onShow }: Pick<AnswerProps, 'search' | 'onShow'>) {
  const shown = search.view === 'path' ? 'path' : 'tree'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label="Trace view" className="flex rounded-ctl border border-line p-0.5">
      {(['tree', 'path'] as const).map((view) => (
        <button
          key={view}
          type="button"
          aria-pressed={shown === view}
          className="h-7 rounded-[5px] px-3 text-[13px] font-[560] text-ink2 aria-pressed:bg-selection aria-pressed:text-ink pointer-coarse:h-10"
          onClick={() => {
            const { view: _, ...rest } = search
            onShow(view === 'path' ? { ...rest, view } : rest)
          }}
        >
          {view === 'tree' ? 'Tree' : 'Path'}
        </button>
      ))}
    </div>
  )
}
