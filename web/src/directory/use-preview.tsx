import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { type ReactNode, useRef, useState } from 'react'
import { Confirm } from '../ui/Dialog.tsx'
import { RoleEffectList } from './RoleEffectList.tsx'

/** The query parameters of a call with a preview. */
export interface PreviewQuery {
  preview?: 'true'
  confirmSelfDemotion?: 'true'
}

/** Sends the change; with `preview`, the service returns a `RoleEffect` and writes nothing. */
type Send<T> = (query: PreviewQuery) => Promise<T | RoleEffect>
/** The outcome of a change: the response, or true if the call returns nothing. */
type ChangeResult<T> = undefined extends T ? true : T

interface Question {
  title: string
  action: string
  body: ReactNode
}

/**
 * Makes changes that may grant or revoke roles. It first previews who would gain or lose which role, and sends the
 * change after confirmation. A change without an effect on roles is sent immediately; one that ends the user's own
 * administration asks again. `change` resolves with undefined if cancelled, with `true` if the call returns nothing,
 * and rejects with the call's error. Render `dialog` anywhere on the page.
 *
 *     const { change, dialog } = usePreview()
 *     const done = await change((query) => call(addMembers, { params, query, body }), { title: 'Add 12 members?', action: 'Add' })
 */
export function usePreview() {
  const [question, setQuestion] = useState<Question>()
  const resolveAnswer = useRef<(isConfirmed: boolean) => void>(undefined)

  const confirm = (question: Question) =>
    new Promise<boolean>((resolve) => {
      resolveAnswer.current = resolve
      setQuestion(question)
    }).finally(() => setQuestion(undefined))

  async function change<T>(
    send: Send<T>,
    confirmation: { title: string; action: string },
  ): Promise<ChangeResult<T> | undefined> {
    const effect = (await send({ preview: 'true' })) as RoleEffect
    const hasNoEffect = effect.gains.length === 0 && effect.loses.length === 0
    if (!hasNoEffect && !(await confirm({ ...confirmation, body: <RoleEffectList effect={effect} /> })))
      return undefined
    const apply = async (query: PreviewQuery) => ((await send(query)) ?? true) as ChangeResult<T>
    try {
      return await apply({})
    } catch (error) {
      if (!(error instanceof ApiError && error.problem?.code === 'self-demotion')) throw error
      if (!(await confirm(selfDemotionQuestion))) return undefined
      return await apply({ confirmSelfDemotion: 'true' })
    }
  }

  const dialog = (
    <Confirm
      isOpen={question !== undefined}
      title={question?.title ?? ''}
      action={question?.action ?? ''}
      onConfirm={() => resolveAnswer.current?.(true)}
      onClose={() => resolveAnswer.current?.(false)}
    >
      {question?.body}
    </Confirm>
  )
  return { change, dialog }
}

const selfDemotionQuestion: Question = {
  title: 'Remove your own admin access?',
  action: 'Remove my access',
  body: 'You will lose access to the admin console. Only another administrator can restore it.',
}
