/** Shown where invitations are created and listed while mail is not configured. */
export function MailNotice() {
  return (
    <p className="rounded-box border border-line border-l-4 border-l-warn bg-card px-4 py-3">
      <strong className="font-[620]">Email isn't configured.</strong> Each invitation link is shown once for you to
      share. Set <code className="font-mono text-[12.5px]">SMTP_URL</code> and{' '}
      <code className="font-mono text-[12.5px]">MAIL_FROM</code> to send invitations by email.
    </p>
  )
}
