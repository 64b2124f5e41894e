import type { Question } from '@passport/contract/permission-terms'
import { createAssertion } from '@passport/contract/permissions'
import { printQuestion } from '@passport/permissions'
import { Copy } from 'lucide-react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { copyText } from '../ui/copy.ts'
import { Panel } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.ts'
import { assertionsKey } from './assertions.ts'
import { toCurl, toZed } from './question-text.ts'
import type { Permissionship } from './Verdict.tsx'
import type { WhatIfState } from './what-if.ts'

const kinds = { hasPermission: 'assertTrue', noPermission: 'assertFalse', conditional: 'assertCaveated' } as const

interface AnswerCopiesProps {
  question: Question
  permissionship: Permissionship
  /** The supposition of the answer; only a call can include it. */
  whatIf: WhatIfState | undefined
}

/** Copies a question as a link or a command, or saves its answer as an assertion. */
export function AnswerCopies({ question, permissionship, whatIf }: AnswerCopiesProps) {
  const curl = ['cURL', () => toCurl({ ...question, ...(whatIf && { whatIf }) }, location.origin)] as const
  const copies = whatIf
    ? [curl]
    : ([
        ['Link', () => location.href],
        curl,
        ['zed command', () => toZed(question)],
        ['Assertion', () => printQuestion(question)],
      ] as const)
  async function copy(name: string, text: string) {
    if (await copyText(text)) void toast({ id: 'copied', type: 'success', content: `${name} copied` })
  }
  async function save() {
    try {
      await call(createAssertion, { body: { kind: kinds[permissionship], question } })
      void queryClient.invalidateQueries({ queryKey: assertionsKey })
      void toast({ type: 'success', content: 'Assertion saved' })
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't save the assertion: ${toFailure(error).detail}` })
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
