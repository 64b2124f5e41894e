import type { Question } from '@passport/contract/permission-terms'
import { createAssertion } from '@passport/contract/permissions'
import { printQuestion } from '@passport/permissions/relationship-text'
import { Copy } from 'lucide-react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { copyText } from '../ui/copy.ts'
import { Panel } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.ts'
import { assertionsKey } from './assertions.ts'
import { curlOf, zedOf } from './question-text.ts'
import type { Supposition } from './supposition.ts'
import type { Permissionship } from './Verdict.tsx'

const kinds = { hasPermission: 'assertTrue', noPermission: 'assertFalse', conditional: 'assertCaveated' } as const

interface AnswerCopiesProps {
  question: Question
  permissionship: Permissionship
  /** What it was answered under: only a call can take that along. */
  whatIf: Supposition | undefined
}

/** Takes a question along: as a link, as commands, or as what must hold from now on. */
export function AnswerCopies({ question, permissionship, whatIf }: AnswerCopiesProps) {
  const curl = ['cURL', () => curlOf({ ...question, ...(whatIf && { whatIf }) }, location.origin)] as const
  const copies = whatIf
    ? [curl]
    : ([
        ['Link', () => location.href],
        curl,
        ['zed command', () => zedOf(question)],
        ['Assertion', () => printQuestion(question)],
      ] as const)
  async function copy(name: string, text: string) {
    if (await copyText(text)) void toast({ id: 'copied', type: 'success', content: `${name} copied` })
  }
  async function save() {
    try {
      await call(createAssertion, { body: { kind: kinds[permissionship], question } })
      void queryClient.invalidateQueries({ queryKey: assertionsKey })
      void toast({ type: 'success', content: 'Saved: this answer must hold from now on' })
    } catch (error) {
      void toast({ type: 'error', content: `Not saved: ${failureOf(error).detail}` })
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
        {copies.map(([name, textOf]) => (
          <button key={name} type="button" className="pop-item" onClick={() => void copy(name, textOf())}>
            Copy as {name === 'Link' ? 'a link' : name === 'Assertion' ? 'an assertion' : name}
          </button>
        ))}
        {whatIf && (
          <p className="max-w-56 border-t border-line px-2 pt-2 pb-1 text-[13px] text-ink2">
            What is supposed is of this tab alone: a link, a zed command or an assertion would ask without it.
          </p>
        )}
        {!whatIf && (
          <button type="button" className="pop-item border-t border-line" onClick={() => void save()}>
            Save as an assertion
          </button>
        )}
      </div>
    </Panel>
  )
}
