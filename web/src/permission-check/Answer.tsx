import type { Trace } from '@passport/contract/permission-terms'
import { type CheckResult, createAssertion, listAssertions } from '@passport/contract/permissions'
import { findExclusion, findGrantingChains, printCheck } from '@passport/permissions'
import { Copy, ListTree } from 'lucide-react'
import { useId } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { formatCount } from '../directory/total.ts'
import { type CheckQuestion, type CheckSearch, toCheckSearch } from '../permissions/check-search.ts'
import { ObjectLabel } from '../permissions/ObjectName.tsx'
import { MissingPath, PathPicture } from '../permissions/PathLine.tsx'
import { toCurl, toZed } from '../permissions/question-text.ts'
import { describeUserset, printReference } from '../permissions/reference.ts'
import { listPermissionsAndRelations, type SchemaWithETag } from '../permissions/schema.ts'
import { formatVerdict, type Permissionship, Stamp } from '../permissions/Verdict.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { copyText } from '../ui/copy.ts'
import { Panel } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.ts'
import { ClosestMiss } from './ClosestMiss.tsx'
import { ExpandCard } from './ExpandCard.tsx'
import { MissingValues } from './MissingValues.tsx'
import { PermissionGrid } from './PermissionGrid.tsx'
import { formatDuration, measureDepth, TraceTree } from './Trace.tsx'

interface AnswerProps {
  schema: SchemaWithETag
  question: CheckQuestion
  answer: CheckResult
  search: CheckSearch
  /** Checks another question, or shows the same one in another way. */
  onShow: (search: CheckSearch) => void
  /** Called after a relationship was written. */
  onChanged: () => unknown
}

/**
 * The verdict with its path, the changes that would reverse it, and the subject's other permissions on the resource.
 */
export function Answer({ schema, question, answer, search, onShow, onChanged }: AnswerProps) {
  const { permissionship, partialCaveatMissing, debugTrace } = answer
  const { whatIf } = question
  const key = JSON.stringify(question)
  // Parts that survive other what-if changes.
  const questionText = printCheck(question)
  return (
    <div className="grid grid-cols-1 gap-4">
      <section
        aria-label="Answer"
        className={`relative flex flex-wrap items-center gap-x-7 gap-y-4 overflow-hidden card px-5 py-5 *:relative ${whatIf ? 'border-dashed border-edge' : ''}`}
      >
        <span
          aria-hidden="true"
          className="guilloche guilloche-right pointer-events-none absolute! inset-y-0 right-0 w-[460px] max-w-full [mask-image:linear-gradient(to_right,transparent,#000_60%)] max-nav:opacity-50"
        />
        <Stamp key={`${key} ${permissionship}`} permissionship={permissionship} />
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-[17px] font-[600] [overflow-wrap:anywhere]">
            <Sentence question={question} answer={answer} isRelation={isRelation(schema, question)} />
          </p>
          <Figures answer={answer} isHypothetical={whatIf !== undefined} />
        </div>
        <CopyPanel question={question} permissionship={permissionship} />
      </section>
      {permissionship === 'conditional' && (
        <MissingValues
          key={partialCaveatMissing.join()}
          schema={schema}
          question={question}
          names={partialCaveatMissing}
          onTry={(context) => onShow({ ...search, ...toCheckSearch({ ...question, context }) })}
        />
      )}
      {debugTrace && (
        <PathCard
          key={`${key} ${answer.checkedAt}`}
          question={question}
          answer={answer}
          trace={debugTrace}
          isTree={search.view === 'tree'}
          onTree={(isTree) => {
            const { view: _, ...withoutView } = search
            onShow({ ...withoutView, ...(isTree && { view: 'tree' }) })
          }}
        />
      )}
      <div className="grid grid-cols-1 items-start gap-4 nav:grid-cols-2">
        <ClosestMiss
          key={`misses ${questionText}`}
          question={question}
          permissionship={permissionship}
          onChanged={onChanged}
        />
        <PermissionGrid
          key={`grid ${printCheck({ ...question, permission: '' })}`}
          question={question}
          search={search}
        />
      </div>
      <ExpandCard key={`expand ${questionText}`} question={question} />
    </div>
  )
}

const isRelation = (schema: SchemaWithETag, { resource, permission }: CheckQuestion) =>
  listPermissionsAndRelations(schema, resource.type).relations.includes(permission)

const permissionVerbs = { hasPermission: 'can', noPermission: 'cannot', conditional: 'may' } as const
const relationVerbs = { hasPermission: 'is', noPermission: 'is not', conditional: 'may be' } as const

/** Formats an answer as a sentence for screen readers, with references instead of names. */
export function formatAnswer({ question, answer }: Pick<AnswerProps, 'question' | 'answer'>, schema: SchemaWithETag) {
  const { subject, permission, resource } = question
  const { permissionship, partialCaveatMissing: missing } = answer
  const verb = (isRelation(schema, question) ? relationVerbs : permissionVerbs)[permissionship]
  const of = isRelation(schema, question) ? ' of' : ''
  const needs = permissionship === 'conditional' && missing.length > 0 ? `; it depends on ${missing.join(', ')}` : ''
  return `${formatVerdict(permissionship)}: ${printReference(subject)} ${verb} ${permission}${of} ${printReference(resource)}${needs}.`
}

interface SentenceProps extends Pick<AnswerProps, 'question' | 'answer'> {
  isRelation: boolean
}

/** “Eve Moreau can edit budget”, or “Eve Moreau is member of Sales”. */
function Sentence({ question: { subject, permission, resource }, answer, isRelation }: SentenceProps) {
  const { permissionship, partialCaveatMissing: missing, residual } = answer
  const code = 'font-mono text-[14px] font-normal [overflow-wrap:anywhere]'
  return (
    <>
      {subject.relation && `${capitalize(describeUserset(subject.relation))} `}
      <ObjectLabel object={subject} /> {(isRelation ? relationVerbs : permissionVerbs)[permissionship]} {permission}
      {isRelation && ' of'} <ObjectLabel object={resource} />
      {permissionship === 'conditional' && missing.length > 0 && (
        <>
          : it depends on <code className={code}>{missing.join(', ')}</code>
          {residual !== undefined && (
            <>
              , and holds if <code className={code}>{residual}</code>
            </>
          )}
        </>
      )}
    </>
  )
}

const reasonTexts: Record<NonNullable<CheckResult['reason']>, string> = {
  relationship: 'Relationships grant it',
  wildcard: 'A relationship grants it to everyone',
  'condition-holds': 'The condition of a relationship holds',
  itself: 'It is a question about the subject itself',
  excluded: 'A relationship excludes the subject',
  'condition-fails': 'The condition of a relationship does not hold',
  expired: 'The relationship has expired',
  circle: 'Usersets that contain each other grant nothing',
  'not-all': 'Only a part of what the permission requires is granted',
  'no-relationship': 'No relationship grants it',
  'context-missing': 'The context lacks values',
}

function Figures({ answer, isHypothetical }: { answer: CheckResult; isHypothetical: boolean }) {
  const { reason, leftOut = 0 } = answer
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 text-[13px] text-ink2">
      {isHypothetical && (
        <>
          <b className="font-[620] text-warn">hypothetical</b>
          {leftOut > 0 && (
            <span>{leftOut.toLocaleString('en')} stored relationships ignored (not allowed by the schema)</span>
          )}
        </>
      )}
      {reason && <span>{reasonTexts[reason]}</span>}
    </p>
  )
}

interface PathCardProps {
  question: CheckQuestion
  answer: CheckResult
  trace: Trace
  isTree: boolean
  onTree: (isTree: boolean) => void
}

/** The decisive path as a picture; on request, every step of the evaluation. */
function PathCard({ question, answer: { permissionship, checkedAt }, trace, isTree, onTree }: PathCardProps) {
  const chains = findGrantingChains(trace)
  const exclusion = permissionship === 'noPermission' ? findExclusion(trace) : undefined
  const id = useId()
  return (
    <Card title={chains.length > 1 ? 'Paths, all required' : 'Path'}>
      {chains.map((chain, index) => (
        <PathPicture
          key={index}
          chain={chain}
          subject={question.subject}
          tone={permissionship === 'conditional' ? 'warn' : 'ok'}
          label={`Path ${index + 1}`}
        />
      ))}
      {exclusion?.granted.map((chain, index) => (
        <PathPicture key={index} chain={chain} tone="ok" label="Granted by" />
      ))}
      {exclusion && (
        <>
          <p className="px-5 text-[13px] font-[600] text-bad">but excluded by</p>
          {exclusion.excluded.map((chain, index) => (
            <PathPicture key={index} chain={chain} tone="bad" label="Excluded by" />
          ))}
        </>
      )}
      {permissionship === 'noPermission' && !exclusion && (
        <MissingPath subject={question.subject} resource={question.resource}>
          <span className="text-bad">no path to {question.permission}</span>
        </MissingPath>
      )}
      {permissionship !== 'noPermission' && chains.length === 0 && (
        <p className="px-5 pb-4 text-ink2">No relationship needed</p>
      )}
      <div className="border-t border-hair px-3 py-2">
        <button
          type="button"
          className="btn btn-ghost btn-small text-stamp"
          aria-expanded={isTree}
          aria-controls={isTree ? id : undefined}
          onClick={() => onTree(!isTree)}
        >
          <ListTree size={16} aria-hidden="true" />
          {isTree ? 'Hide evaluation' : 'Show evaluation'}
          <span className="font-normal text-ink3">
            {formatCount(countSteps(trace), ['step', 'steps'])}, {formatDuration(trace.duration)}
          </span>
        </button>
      </div>
      {isTree && (
        <div id={id}>
          <p className="flex flex-wrap items-center gap-x-1 border-t border-line px-4 pt-2 text-[13px] text-ink2 sm:px-[18px]">
            Depth {measureDepth(trace)} · Revision{' '}
            <code className="font-mono" title={checkedAt}>
              {shortenRevision(checkedAt)}
            </code>
            <CopyButton text={checkedAt} label="Copy revision" />
          </p>
          <TraceTree trace={trace} />
        </div>
      )}
    </Card>
  )
}

const countSteps = (trace: Trace): number => 1 + trace.children.reduce((sum, child) => sum + countSteps(child), 0)

/** Keeps the end of a revision, where revisions differ. */
const shortenRevision = (text: string) => (text.length > 12 ? `…${text.slice(-8)}` : text)

const assertionKinds = {
  hasPermission: 'assertTrue',
  noPermission: 'assertFalse',
  conditional: 'assertCaveated',
} as const

interface CopyPanelProps {
  question: CheckQuestion
  permissionship: Permissionship
}

/** Copies a question as a link or a command, or saves its answer as an assertion. Only cURL includes what-if changes. */
function CopyPanel({ question, permissionship }: CopyPanelProps) {
  const hasWhatIf = question.whatIf !== undefined
  const curl = ['cURL', () => toCurl(question, location.origin)] as const
  const copies = hasWhatIf
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
      await call(createAssertion, { body: { kind: assertionKinds[permissionship], question } })
      void queryClient.invalidateQueries({ queryKey: query(listAssertions, {}).queryKey })
      reportSuccess('Assertion saved')
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
        {hasWhatIf ? (
          <p className="max-w-56 border-t border-line px-2 pt-2 pb-1 text-[13px] text-ink2">
            Links, zed commands and assertions cannot include what-if changes.
          </p>
        ) : (
          <button type="button" className="pop-item border-t border-line" onClick={() => void save()}>
            Save as assertion
          </button>
        )}
      </div>
    </Panel>
  )
}
