import type { Question } from '@passport/contract/permission-terms'
import { type CheckAnswer, createAssertion, listAssertions } from '@passport/contract/permissions'
import { printCheck } from '@passport/permissions'
import { Copy } from 'lucide-react'
import { call, query } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { type CheckSearch, type TimedQuestion, toCheckSearch } from '../permissions/check-search.ts'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { toCurl, toZed } from '../permissions/question-text.ts'
import { printReference } from '../permissions/reference.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { type Permissionship, Stamp, verdictWord } from '../permissions/Verdict.tsx'
import type { WhatIfState } from '../permissions/what-if.ts'
import { Card } from '../ui/Card.tsx'
import { copyText } from '../ui/copy.ts'
import { Panel } from '../ui/Panel.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { toast } from '../ui/toast.ts'
import { ClosestMiss } from './ClosestMiss.tsx'
import { ExpandCard } from './ExpandCard.tsx'
import { MissingValues } from './MissingValues.tsx'
import { PermissionGrid } from './PermissionGrid.tsx'
import { formatDuration, TracePath, TraceTree, traceDepth } from './Trace.tsx'

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
  const { view: _, ...withoutView } = search
  const questionText = printCheck(question)
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
            search.view === 'tree' ? 'Every step of the evaluation.' : 'Only the steps that decided the answer.'
          }
          action={
            <Segmented
              label="Trace view"
              value={search.view === 'tree' ? 'tree' : 'path'}
              options={traceViews}
              onChange={(view) => onShow({ ...withoutView, ...(view === 'tree' && { view }) })}
            />
          }
        >
          {search.view === 'tree' ? <TraceTree key={answerKey} trace={debugTrace} /> : <TracePath trace={debugTrace} />}
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
        key={`grid ${printCheck({ ...question, permission: '' })}`}
        question={question}
        whatIf={whatIf}
        search={search}
      />
      <ExpandCard key={`expand ${questionText}`} question={question} whatIf={whatIf} />
    </div>
  )
}

const traceViews = [
  { value: 'path', label: 'Path' },
  { value: 'tree', label: 'Tree' },
] as const
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

const kinds = { hasPermission: 'assertTrue', noPermission: 'assertFalse', conditional: 'assertCaveated' } as const

interface AnswerCopiesProps {
  question: Question
  permissionship: Permissionship
  /** The supposition of the answer; only a call can include it. */
  whatIf: WhatIfState | undefined
}

/** Copies a question as a link or a command, or saves its answer as an assertion. */
function AnswerCopies({ question, permissionship, whatIf }: AnswerCopiesProps) {
  const curl = ['cURL', () => toCurl({ ...question, ...(whatIf && { whatIf }) }, location.origin)] as const
  const copies = whatIf
    ? [curl]
    : ([
        ['Link', () => location.href],
        curl,
        ['zed command', () => toZed(question)],
        ['Assertion', () => printCheck(question)],
      ] as const)
  async function copy(name: string, text: string) {
    if (await copyText(text)) void toast({ id: 'copied', type: 'success', content: `${name} copied` })
  }
  async function save() {
    try {
      await call(createAssertion, { body: { kind: kinds[permissionship], question } })
      void queryClient.invalidateQueries({ queryKey: query(listAssertions, {}).queryKey })
      void toast({ type: 'success', content: 'Assertion saved' })
    } catch (error) {
      reportFailure('save the assertion', error)
    }
  }
  return (
    <Panel
      label="Copy or save"
      trigger={
        <>
          <Copy size={15} aria-hidden="true" />
          Copy
        </>
      }
    >
      <div className="grid gap-1">
        {copies.map(([name, getText]) => (
          <button key={name} type="button" className="pop-item" onClick={() => void copy(name, getText())}>
            Copy {name === 'Link' ? 'link' : `as ${name === 'Assertion' ? 'assertion' : name}`}
          </button>
        ))}
        {whatIf && (
          <p className="max-w-56 border-t border-line px-2 pt-2 pb-1 text-[13px] text-ink2">
            Links, zed commands and assertions cannot include what-if changes.
          </p>
        )}
        {!whatIf && (
          <button type="button" className="pop-item border-t border-line" onClick={() => void save()}>
            Save as assertion
          </button>
        )}
      </div>
    </Panel>
  )
}
