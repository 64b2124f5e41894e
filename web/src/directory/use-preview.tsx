import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { type ReactNode, useRef, useState } from 'react'
import { Confirm } from '../ui/Dialog.tsx'
import { RoleEffectList } from './RoleEffectList.tsx'

/** What goes into the query of a call that previews. */
export interface PreviewQuery {
  preview?: 'true'
  confirmSelfDemotion?: 'true'
}

/** Sends the change; with `preview` in its query the service answers a `RoleEffect` and writes nothing. */
type Send<T> = (query: PreviewQuery) => Promise<T | RoleEffect>
/** What a change came to: the answer of its call, or that it is done where that call answers nothing. */
type Done<T> = undefined extends T ? true : T

interface Question {
  title: string
  action: string
  body: ReactNode
}

/**
 * Makes changes that may give or take roles: first asks what would come of it, shows who would gain or lose which role,
 * and sends the change once that is confirmed. One that changes nobody's roles is sent at once; one by which whoever is
 * signed in would stop being an administrator is asked about again. `change` answers undefined where it was called off,
 * `true` where it is done by a call that answers nothing, and rejects with what the call threw. `dialog` belongs
 * somewhere on the page.
 *
 *     const { change, dialog } = usePreview()
 *     const done = await change((query) => call(addMembers, { params, query, body }), { title: 'Add 12 members?', action: 'Add' })
 */
export function usePreview() {
  const [question, setQuestion] = useState<Question>()
  const answer = useRef<(isYes: boolean) => void>(undefined)

  const ask = (question: Question) =>
    new Promise<boolean>((resolve) => {
      answer.current = resolve
      setQuestion(question)
    }).finally(() => setQuestion(undefined))

  async function change<T>(send: Send<T>, about: { title: string; action: string }): Promise<Done<T> | undefined> {
    const effect = (await send({ preview: 'true' })) as RoleEffect
    const isQuiet = effect.gains.length === 0 && effect.loses.length === 0
    if (!isQuiet && !(await ask({ ...about, body: <RoleEffectList effect={effect} /> }))) return undefined
    const make = async (query: PreviewQuery) => ((await send(query)) ?? true) as Done<T>
    try {
      return await make({})
    } catch (error) {
      if (!(error instanceof ApiError && error.problem?.code === 'self-demotion')) throw error
      if (!(await ask(ofSelf))) return undefined
      return await make({ confirmSelfDemotion: 'true' })
    }
  }

  const dialog = (
    <Confirm
      isOpen={question !== undefined}
      title={question?.title ?? ''}
      action={question?.action ?? ''}
      onConfirm={() => answer.current?.(true)}
      onClose={() => answer.current?.(false)}
    >
      {question?.body}
    </Confirm>
  )
  return { change, dialog }
}

const ofSelf: Question = {
  title: 'Give up your own administration?',
  action: 'Give it up',
  body: 'You would not be an administrator any more, and could not take this back yourself.',
}
