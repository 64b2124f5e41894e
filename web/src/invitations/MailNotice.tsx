/** Said where invitations are made and listed, as long as no mail goes out. */
export function MailNotice() {
  return (
    <p className="mt-3 rounded-box border border-line border-l-4 border-l-warn bg-card px-4 py-3">
      <strong className="font-[620]">Mail is not configured.</strong> The link of an invitation is shown to you once, to
      be passed on by hand. With <code className="font-mono text-[12.5px]">SMTP_URL</code> and{' '}
      <code className="font-mono text-[12.5px]">MAIL_FROM</code> it is mailed.
    </p>
  )
}
