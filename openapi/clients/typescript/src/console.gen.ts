/** Generated from an OpenAPI document by generate.mjs. Do not edit. */

export interface paths {
    "/api/access-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access keys
         * @description Newest first. Members see their own keys, admins and owners those of their tenant, operators all keys. Keys stay in the list for 90 days after they expire. Each key has the first 20 of its addresses; getAccessKey has all. Access keys need the scope audit:read.
         */
        get: operations["listAccessKeys"];
        put?: never;
        /**
         * Create an access key for oneself
         * @description The response contains the key's value, which is never shown again. The key acts as the caller, within its scopes: a later change of the caller's role applies to the key too. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createAccessKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/access-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access key
         * @description The response does not contain the key's value. Access keys need the scope audit:read.
         */
        get: operations["getAccessKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an access key
         * @description The key stops working at once. This cannot be undone. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        delete: operations["revokeAccessKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alert-destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the destinations of alerts
         * @description Oldest first. For admins and owners those of their organization, for operators those of the platform. Access keys need the scope usage:read.
         */
        get: operations["listAlertDestinations"];
        put?: never;
        /**
         * Create a destination of alerts
         * @description Returns the signing secret of a webhook. There may be at most 20 destinations. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if channel is webhook or slack.
         */
        post: operations["createAlertDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alert-destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a destination of alerts
         * @description Alerts that wait for it are not sent.
         */
        delete: operations["deleteAlertDestination"];
        options?: never;
        head?: never;
        /**
         * Change a destination of alerts
         * @description Changes only the fields that are sent. Alerts that wait go to a new URL. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if url is sent.
         */
        patch: operations["updateAlertDestination"];
        trace?: never;
    };
    "/api/alert-destinations/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret of a webhook
         * @description The new secret signs all further requests. It is shown this once. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["replaceAlertSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alert-destinations/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test alert to a destination
         * @description The alert goes through the same outbox as others. listAlerts shows its delivery. There may be 10 tests in an hour.
         */
        post: operations["testAlertDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules of alerts
         * @description Oldest first. For admins and owners those of their organization, for operators those of the platform. Access keys need the scope usage:read.
         */
        get: operations["listAlertRules"];
        put?: never;
        /**
         * Create a rule of alerts
         * @description A worker looks every minute. It reports a threshold once for each owner and window: a period of a budget, or an amount of granted quota. There may be at most 50 rules.
         */
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alert-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a rule of alerts
         * @description Its alerts stay in the history.
         */
        delete: operations["deleteAlertRule"];
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a rule of alerts
         * @description Changes only the fields that are sent. What a rule watches cannot be changed.
         */
        patch: operations["updateAlertRule"];
        trace?: never;
    };
    "/api/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts with their deliveries
         * @description Newest first. Alerts are kept for 400 days. For admins and owners those of their organization, for operators those of the platform. Access keys need the scope usage:read.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an alert again where its delivery failed
         * @description The alert keeps its id.
         */
        post: operations["retryAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of the tenant
         * @description Lists who changed which resource of the tenant, newest first unless order is asc, and sign-ins (session.create), refused ones (session.refused), refused requests (request.refused), the first use of an access key on a day from an address (access_key.use), and what operators have read (tenant.read). For admins and owners. Access keys need the scope audit:read.
         */
        get: operations["listTenantAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit-log/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the audit log of the tenant
         * @description Returns at most the newest 100,000 entries that match. To get more, limit the range. For admins and owners. Access keys need the scope audit:read.
         */
        get: operations["exportTenantAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Newest first. Admins and owners see the invitations of their tenant, operators all. Invitations stay in the list for 90 days after they expire. Access keys need the scope members:read.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user
         * @description Sends a link by mail, or returns it if mail is not configured. For admins, owners and operators. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the invitation of a link
         * @description Creates the user with the password and sets the session cookie. A link works once.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the invitation of a link
         * @description Returns the e-mail address and the tenant of the invitation. The link stays valid.
         */
        post: operations["lookUpInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an invitation again
         * @description Sends a new link, which is valid for as long as the old one was. The old link stops working. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an invitation
         * @description The link stops working. An accepted invitation cannot be revoked. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["revokeInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description The caller's own jobs, newest first, without results. Operators also see the price simulations and imports of other operators. Access keys need the scope usage:read.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/usage-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export usage logs to a file
         * @description The file contains the logs that listUsageLogs returns for the same filters, newest first. Poll getJob for the progress, then download the file with getJobFile. A user may have at most 5 jobs that are queued or running. Access keys need the scope usage:read.
         */
        post: operations["createUsageExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job with its progress and result
         * @description Poll until the status is succeeded, failed or cancelled. Access keys need the scope usage:read.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job that is queued or running
         * @description A running job stops within seconds. Access keys need the scope usage:read.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the file of a job
         * @description Only the user who created the job may download its file, once the job has succeeded. The header Content-Disposition contains the file name. Access keys need the scope usage:read.
         */
        get: operations["getJobFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledger of the caller's tenant
         * @description Newest first. The amounts add up to the quota that the tenant is granted. For admins and owners. Access keys need the scope usage:read.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users of the caller's tenant
         * @description For admins and owners. Access keys need the scope members:read.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Create a user in the caller's tenant
         * @description The user gets the group of the caller. If mail is configured, the account waits until its person opens the mailed invitation; otherwise it gets a first password. The response is the same if the address belongs to a user of another tenant. For admins and owners. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a user of the caller's tenant
         * @description Changes only the fields that are sent. Ends the user's sessions if the role or the status changes. For admins and owners. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/members/{id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a password reset link for a user
         * @description Sends the link by mail, or returns it if mail is not configured. The link works once and is valid for an hour. For admins and owners, and users whom they may edit. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["resetMemberPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{id}/reset-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a user's second factor and passkeys
         * @description For a user who lost them. Ends all sessions of the user, who then signs in with the password alone. For admins and owners. Callers cannot reset their own. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["resetMemberFactors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that the caller may use, with prices
         * @description Returns the models of the caller's group and what the group pays. Operators must name a group. Access keys need the scope catalog:read.
         */
        get: operations["listVisibleModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a model that the caller may use, with its price and recent speed
         * @description Returns the model as listVisibleModels does, and how fast and how reliable it responded to the calls of the caller's tenant in the last 24 hours. A model that the caller may not use is not found. Access keys need the scope catalog:read.
         */
        get: operations["getVisibleModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Correct the quota granted to a tenant
         * @description A negative amount may exceed what is left, but not what the tenant was granted. If it exceeds what is left, the tenant cannot spend anything. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the amounts of the session since its confirmation expired, this one included, add up (signs ignored) to more than TOLLGATE_CONFIRM_AMOUNT. Access keys need the scope billing:write.
         */
        post: operations["createAdjustment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Lists who changed which resource, newest first unless order is asc, and sign-ins, refusals and reads of tenants' data. Access keys need the scope audit:read.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit-log/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the audit log
         * @description Returns at most the newest 100,000 entries that match. To get more, limit the range. Access keys need the scope audit:read.
         */
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/billing-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List billing accounts
         * @description Oldest first. Billing credentials are never shown. Each account has the first 20 of its channels and keys; getBillingAccount has all. Access keys need the scope tenants:read.
         */
        get: operations["listBillingAccounts"];
        put?: never;
        /**
         * Create a billing account
         * @description A worker fetches what the provider charged, and compares it with the supplier cost of the channels' calls. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the body contains a credential.
         */
        post: operations["createBillingAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/billing-accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a billing account
         * @description Billing credentials are never shown. Access keys need the scope tenants:read.
         */
        get: operations["getBillingAccount"];
        put?: never;
        post?: never;
        /**
         * Delete a billing account
         * @description Its credential, charges and comparisons are deleted, too.
         */
        delete: operations["deleteBillingAccount"];
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a billing account
         * @description Changes only the fields that are sent. A change of base_url drops the billing credential, unless credential has it again. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the request changes base_url or credential.
         */
        patch: operations["updateBillingAccount"];
        trace?: never;
    };
    "/api/operator/billing-accounts/{id}/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload charges as CSV
         * @description For accounts with the provider csv. The charges of all days in the file are replaced. A file with a wrong line changes nothing. Access keys need the scope billing:write.
         */
        post: operations["uploadSupplierCharges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/billing-accounts/{id}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare a day by model and key
         * @description Returns both sides of the comparison of one day, by model and, if the account has keys, by key. Access keys need the scope tenants:read.
         */
        get: operations["getSupplierComparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/billing-accounts/{id}/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch the charges now
         * @description A worker fetches and compares the charges at its next run, within minutes. An account that is disabled is not fetched. Access keys need the scope billing:write.
         */
        post: operations["fetchBillingAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channel-costs/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw scheduled costs of a channel
         * @description Withdrawn costs never take effect. Costs that take effect within a minute cannot be withdrawn, because relays may already know them. Access keys need the scope catalog:write.
         */
        post: operations["withdrawChannelCost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channel-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the health of all channels
         * @description Returns what relays report about each channel and its credentials, and the results of the last probes. Each channel has the first 20 of its credentials, faults and their tenants; getChannelHealth has all. Access keys need the scope catalog:read.
         */
        get: operations["listChannelHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels
         * @description Oldest first. Credentials are shown only as masks. Each channel has the first 20 of its models, masks, headers, parameters and authorities; getChannel has all. Access keys need the scope catalog:read.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * @description Relays use the channel within a second. Credentials are stored encrypted and never shown again. An access key may create disabled channels without credentials, proxy, certificate authorities, account_of and such headers and parameters. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the channel is enabled, or the body contains API keys, a proxy, certificate authorities, headers that route requests, account_of or parameters that may give prompts to others. Access keys need the scope channels:write.
         */
        post: operations["createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the models of an upstream
         * @description Asks the upstream of a new or of a stored channel, at no cost and for at most 10 seconds. Nothing is stored. A list is truncated after 1,000 models or 2 MiB. For Azure it has the models that may be deployed, and not the deployments. The type echo has no list. An access key may only name stored channels with credentials. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the body contains a proxy, certificate authorities, headers that route requests, or another destination of a stored channel. Access keys need the scope channels:write.
         */
        post: operations["listUpstreamModels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a channel before it is saved
         * @description Sends a call that generates very few tokens with the first of the credentials. Nothing is stored, and the call is not metered. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the body contains a proxy, certificate authorities, headers that route requests, account_of, parameters that may give prompts to others, or another destination of a stored channel.
         */
        post: operations["testChannelDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel
         * @description Returns the channel with its settings. Credentials are shown only as masks. Access keys need the scope catalog:read.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a channel
         * @description Changes only the fields that are sent. Relays apply the change within a second. A change of base_url, settings.proxy, settings.ca or of headers that may route requests drops the channel's credentials, unless api_keys has them again; dropped_api_key_masks names them. An access key may not change these, settings.account_of, the credentials and parameters that may give prompts to others, or enable a channel without credentials. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the request changes API keys, base_url, settings.proxy, settings.ca, settings.account_of, headers that route requests or parameters that may give prompts to others, or enables a channel without API keys. Access keys need the scope channels:write.
         */
        patch: operations["updateChannel"];
        trace?: never;
    };
    "/api/operator/channels/{id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a model of a channel
         * @description Sends a chat completions request to the upstream of the channel, which may be disabled, in a dialect that the channel speaks, as the relay would. The call is not charged to a tenant and has no usage log, and its result does not change the channel's health. The answer is a stream of server-sent events: the chunks of a chat completion, [DONE] if the answer is complete, and at the end an event named receipt, whose data has the field receipt. Errors of the upstream are in the receipt. An operator may have at most 4 calls in flight. A call ends when the client disconnects, when the upstream is silent for 2 minutes, and after 10 minutes. An access key may call channels with credentials only, and gets no error messages of the upstream. Access keys need the scope channels:write.
         */
        post: operations["callChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/{id}/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the costs of a channel
         * @description Lists all versions for all models, newest first. Access keys need the scope catalog:read.
         */
        get: operations["listChannelCosts"];
        put?: never;
        /**
         * Add the costs of a channel's model
         * @description States what the upstream of the channel charges for a model, at once or from effective_from on. Earlier versions are kept. Calls are priced as before: costs are for the comparison with the quota that the calls earned. Access keys need the scope catalog:write.
         */
        post: operations["createChannelCost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/{id}/credentials/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a credential that an upstream refused
         * @description Relays use the credential again at once.
         */
        post: operations["enableChannelCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of a channel
         * @description Returns what relays report about the channel and its credentials, and the results of the last probes. Access keys need the scope catalog:read.
         */
        get: operations["getChannelHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a channel with a real call
         * @description Sends a call that generates very few tokens. The call is not metered, and its result does not change the channel's health. An access key may test channels with credentials only. Access keys need the scope channels:write.
         */
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledgers of tenants
         * @description Lists grants, adjustments and transfers, newest first. Access keys need the scope usage:read.
         */
        get: operations["listGrants"];
        put?: never;
        /**
         * Grant quota to a tenant
         * @description Adds an entry to the tenant's ledger. Entries are never changed; use createAdjustment to take quota back. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the amounts of the session since its confirmation expired, this one included, add up (signs ignored) to more than TOLLGATE_CONFIRM_AMOUNT. Access keys need the scope billing:write.
         */
        post: operations["createGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/group-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List price rules of groups
         * @description Lists all versions, newest first. Access keys need the scope catalog:read.
         */
        get: operations["listGroupRules"];
        put?: never;
        /**
         * Add a price rule of a group
         * @description The rule takes effect at once or at effective_from. Earlier versions are kept, so that old charges can be recomputed. Access keys need the scope catalog:write.
         */
        post: operations["createGroupRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/group-rules/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a scheduled price rule
         * @description A withdrawn rule never takes effect. A rule that takes effect within a minute cannot be withdrawn, because relays may already know it. Access keys need the scope catalog:write.
         */
        post: operations["withdrawGroupRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List user groups
         * @description Oldest first. Each group has the first 20 of its models; getGroup has all. Access keys need the scope catalog:read.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a user group
         * @description A group determines which models its users may use and what they pay. Access keys need the scope catalog:write.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user group
         * @description Returns the group with all of its models. Access keys need the scope catalog:read.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a user group
         * @description Changes only the fields that are sent. Relays apply the change within a second.
         */
        patch: operations["updateGroup"];
        trace?: never;
    };
    "/api/operator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the platform
         * @description Returns the state of the database, relays, queues and leases, the result of the last reconciliation, and the enabled models without a healthy channel. Access keys need the scope tenants:read.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/jobs/catalogue-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview or apply a manifest
         * @description The preview makes all changes in a transaction and rolls it back. A manifest that refers to environment variables as ${NAME} is refused: uploads must not read the server's environment. takeImportedTokens returns the values of tokens for which the manifest gives no value. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if apply is true.
         */
        post: operations["createCatalogueImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/jobs/price-simulation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a change of prices
         * @description Prices past calls again with a proposed price of a model, a proposed rule of a group, or both, instead of those that applied. Changes no data. Failed calls stay free. Access keys need the scope usage:read.
         */
        post: operations["createPriceSimulation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/jobs/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the values of the tokens that an import created
         * @description Works once, for the operator who created the import. The values are deleted and cannot be read again.
         */
        post: operations["takeImportedTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description Lists all models, including disabled ones, ordered by id. Access keys need the scope catalog:read.
         */
        get: operations["listModels"];
        put?: never;
        /**
         * Create a model with its first price
         * @description A model must have a price or be declared free. Access keys need the scope catalog:write.
         */
        post: operations["createModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a model
         * @description Changes only the fields that are sent. Use createPrice to change the price. Access keys need the scope catalog:write.
         */
        patch: operations["updateModel"];
        trace?: never;
    };
    "/api/operator/price-catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show which price catalog applies
         * @description The price catalog is a file of public prices. It changes no price by itself. Access keys need the scope catalog:read.
         */
        get: operations["getPriceCatalog"];
        /**
         * Upload a price catalog
         * @description Replaces the file. A file with a fault is refused as a whole; the error names the entry and the field. No price changes. Access keys need the scope catalog:write.
         */
        put: operations["replacePriceCatalog"];
        post?: never;
        /**
         * Return to the built-in price catalog
         * @description Removes the file that was uploaded or fetched. Access keys need the scope catalog:write.
         */
        delete: operations["removePriceCatalog"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/price-catalog/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Schedule prices of the price catalog
         * @description Adds a scheduled version of the price of each model, all or none. Each warning of a model must be confirmed. Refused with 409 if the file or a price has changed since it was compared. Access keys need the scope catalog:write.
         */
        post: operations["applyPriceCatalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/price-catalog/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the price catalog with current prices
         * @description Lists the models of this installation that the catalog knows, ordered by model. A model is known by the ids under which its channels call it; without channels, by its own id. Several providers may have an entry for a model: it is then listed once for each. Access keys need the scope catalog:read.
         */
        get: operations["comparePriceCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/price-catalog/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find entries of the price catalog
         * @description Returns at most 50 entries, in the order of the file. A search can have the entries of one provider first. Access keys need the scope catalog:read.
         */
        get: operations["listPriceCatalogEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/price-catalog/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create models from the price catalog
         * @description Creates a model for each selected entry, with its price, context length, output bound and modalities, all or none. Models that exist already are left as they are. What an entry lists in confirm must be confirmed. Refused with 409 if the file has changed since its entries were listed. Access keys need the scope catalog:write.
         */
        post: operations["createPriceCatalogModels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prices of models
         * @description Lists all versions, newest first. Access keys need the scope catalog:read.
         */
        get: operations["listPrices"];
        put?: never;
        /**
         * Add a price of a model
         * @description The price takes effect at once or at effective_from. Earlier versions are kept, so that old charges can be recomputed. Access keys need the scope catalog:write.
         */
        post: operations["createPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/prices/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add prices of several models
         * @description Adds a version of the price of each model, at once or at effective_from, all or none. An error names the model. A price below a channel's costs is refused unless confirm_loss is true. Access keys need the scope catalog:write.
         */
        post: operations["createPrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/prices/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare new prices with the costs of channels
         * @description Changes nothing. Returns, for each model, its current price and the margin of the new price over what the upstreams of its channels charge. Multipliers and fixed prices of groups are not considered. Access keys need the scope catalog:read.
         */
        post: operations["previewPrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/prices/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a scheduled price
         * @description A withdrawn price never takes effect. A price that takes effect within a minute cannot be withdrawn, because relays may already know it. Access keys need the scope catalog:write.
         */
        post: operations["withdrawPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/routing/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain how a call would be routed
         * @description Calls no upstream. If relays report different states of a channel, the worst one is used. Access keys need the scope catalog:read.
         */
        post: operations["explainRouting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/supplier-days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comparisons of days
         * @description For each billing account and UTC day: what the provider charged, the supplier cost of our usage logs, and the difference with its likely reason. Access keys need the scope tenants:read.
         */
        get: operations["listSupplierDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Oldest first, with the quota of each. Access keys need the scope tenants:read.
         */
        get: operations["listTenants"];
        put?: never;
        /**
         * Create a tenant
         * @description Creates the tenant with its account, and grants it the quota that is given. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the amounts of the session since its confirmation expired, this one included, add up (signs ignored) to more than TOLLGATE_CONFIRM_AMOUNT. Access keys need the scope tenants:write.
         */
        post: operations["createTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/tenants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant
         * @description Returns the tenant with its quota. Access keys need the scope tenants:read.
         */
        get: operations["getTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a tenant
         * @description Changes only the fields that are sent. Relays refuse the tokens of a disabled tenant within a second. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the body has require_second_factor. Access keys need the scope tenants:write.
         */
        patch: operations["updateTenant"];
        trace?: never;
    };
    "/api/operator/tenants/{id}/issuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tenant's OpenID Connect issuer
         * @description With its domains and whether they are approved.
         */
        get: operations["getIssuerOfTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Approve domains of a tenant's issuer
         * @description Changes only the fields that are sent. A domain can be approved for one tenant: approve those that are known to belong to the tenant, never one of a mail service. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        patch: operations["approveTenantIssuer"];
        trace?: never;
    };
    "/api/operator/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move quota from one tenant to another
         * @description Adds an entry to both ledgers, in one transaction. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the amounts of the session since its confirmation expired, this one included, add up (signs ignored) to more than TOLLGATE_CONFIRM_AMOUNT. Access keys need the scope billing:write.
         */
        post: operations["createTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/unpriced-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the calls that pass without a price
         * @description Counts the calls of the last days with a charge of the provider for which the model had no price: on channels that allow such calls, and where an answer shows one unexpectedly. Access keys need the scope catalog:read.
         */
        get: operations["listUnpricedCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Lists the users of all tenants and the operators, oldest first unless order is desc. Access keys need the scope members:read.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Creates a user of a tenant, or an operator. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns a user of any tenant, or an operator. Access keys need the scope members:read.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit, disable or enable a user
         * @description Changes only the fields that are sent. Ends all sessions of the user if role, status or password change. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/operator/users/{id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a password reset link for a user
         * @description Sends the link by mail, or returns it if mail is not configured. The link works once and is valid for an hour. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["resetUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{id}/reset-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a user's second factor and passkeys
         * @description For a user who lost them. Ends all sessions of the user, who then signs in with the password alone. Callers cannot reset their own. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["resetUserFactors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's sessions
         * @description Newest first.
         */
        get: operations["listUserSessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions of a user
         * @description All sessions of the user end at once. Access keys of the user keep working.
         */
        delete: operations["endUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organization/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get costs in the format of OpenAI's API
         * @description What was deducted by day, for tools that are written for OpenAI's costs API. Members see their own costs, admins and owners those of their tenant, operators all. A line item is a model. Access keys need the scope usage:read.
         */
        get: operations["getOrganizationCosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organization/usage/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get usage in the format of OpenAI's API
         * @description For tools that are written for OpenAI's usage API: their base URL is that of the console with /api. Members see their own usage, admins and owners that of their tenant, operators all usage. A project is a tenant, and an API key is a token. Access keys need the scope usage:read.
         */
        get: operations["getOrganizationCompletionsUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/platform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get facts about this installation
         * @description Returns its version, the URL of the relay, and whether it sends mail. Needs no session.
         */
        get: operations["getPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playground/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a chat completion through the relay
         * @description Passes the body to the relay unchanged, and returns the relay's status, its body and its headers x-request-id, x-tollgate-*, x-ratelimit-* and retry-after. Errors of the relay have the relay's error object; errors of the console are problem documents. A user may have at most 8 calls in flight, with bodies of up to 4 MiB. Access keys need the scope tokens:write.
         */
        post: operations["createPlaygroundChatCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playground/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that the relay offers to the token
         * @description Passes the body to the relay unchanged, and returns the relay's status, its body and its headers x-request-id, x-tollgate-*, x-ratelimit-* and retry-after. Errors of the relay have the relay's error object; errors of the console are problem documents. A user may have at most 8 calls in flight, with bodies of up to 4 MiB. Access keys need the scope tokens:read.
         */
        get: operations["listPlaygroundModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playground/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a response through the relay
         * @description Passes the body to the relay unchanged, and returns the relay's status, its body and its headers x-request-id, x-tollgate-*, x-ratelimit-* and retry-after. Errors of the relay have the relay's error object; errors of the console are problem documents. A user may have at most 8 calls in flight, with bodies of up to 4 MiB. Access keys need the scope tokens:write.
         */
        post: operations["createPlaygroundResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/playground/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token for the playground
         * @description The token belongs to the caller and expires after one hour. The response contains its value, which is never shown again. Revokes the caller's previous playground token. Access keys need the scope tokens:write.
         */
        post: operations["createPlaygroundToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the limits on spending and what is left
         * @description left = granted - used. Members see their own limits, admins and owners those of all users of their tenant. Access keys need the scope usage:read.
         */
        get: operations["getQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refused-call-totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count refused calls
         * @description Counts all refused calls by reason, also those that are not listed, in whole hours. They cost nothing, are in no usage log and no total, are deleted after seven days, and some may be missing after a failure.  Access keys need the scope usage:read.
         */
        get: operations["getRefusedCallTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refused-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refused calls
         * @description Calls of a known token that were refused before a channel was called, such as for a rate limit, the quota or an unknown model, newest first. They cost nothing, are in no usage log and no total, are deleted after seven days, and some may be missing after a failure. At most 100 calls of a tenant in an hour are listed; getRefusedCallTotals counts all. Members see their own calls, admins and owners those of their tenant, operators all. Access keys need the scope usage:read.
         */
        get: operations["listRefusedCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/refused-calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a refused call
         * @description See listRefusedCalls. Access keys need the scope usage:read.
         */
        get: operations["getRefusedCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's identity
         * @description Returns the user, with the role, and the tenant that the request is made for. Every access key may call it.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description Sets the session cookie, or asks for a second factor. The response to a wrong password is the same as to an unknown e-mail address.
         */
        post: operations["createSession"];
        /**
         * Sign out
         * @description Ends the session of the cookie and deletes the cookie.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Change the caller's settings
         * @description Sets the language of the caller's account, and returns the caller's identity.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/api/session/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the last confirmation and the ways to confirm
         * @description Some operations answer 403 with the code confirmation_required unless the user has proven the identity in this session in the last 15 minutes. Signing in is the first confirmation.
         */
        get: operations["getConfirmation"];
        put?: never;
        /**
         * Confirm the identity of the session's user
         * @description Send one of the three fields. A wrong proof returns 400 for its field. Wrong proofs are limited as those of a sign-in are. The session expires when it did before.
         */
        post: operations["createConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/confirmation/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to confirm with a passkey
         * @description Returns options for navigator.credentials.get(). Pass the browser's response to createConfirmation.
         */
        post: operations["beginConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's second factors
         * @description Reports whether the caller uses an authenticator app, and how many passkeys and recovery codes there are.
         */
        get: operations["getFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's linked OpenID Connect accounts
         * @description The first page contains all of them.
         */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an OpenID Connect account
         * @description The next sign-in with the account links it again if its e-mail address is that of the caller. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        delete: operations["deleteIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description For sign-in pages. Needs no session.
         */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description The second of two steps: send the browser's response to the options of beginPasskeySession. Sets the session cookie. No second factor is needed, because the device verifies its user.
         */
        post: operations["createPasskeySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/passkey/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to sign in with a passkey
         * @description The first of two steps: returns options for navigator.credentials.get(). Needs no e-mail address, because the user's device knows the user.
         */
        post: operations["beginPasskeySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's passkeys
         * @description The first page contains all of them.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Store a new passkey
         * @description The second of two steps: send the browser's response to the options of beginPasskey. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/passkeys/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to create a passkey
         * @description The first of two steps: returns options for navigator.credentials.create(). Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a passkey
         * @description Nobody can sign in with it afterwards. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        delete: operations["deletePasskey"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description The name helps people to tell passkeys apart and has no other effect. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        patch: operations["updatePasskey"];
        trace?: never;
    };
    "/api/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the caller's password
         * @description Ends all sessions of the user and sets the cookie of a new session. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset by mail
         * @description Sends a link by mail if a user has the address and mail is configured. The response does not tell whether there is such a user.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/password-reset/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with a link
         * @description Ends all sessions of the user and opens none. A link works once.
         */
        post: operations["completePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/password-reset/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the password reset of a link
         * @description Returns the e-mail address of the user. The link stays valid.
         */
        post: operations["lookUpPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the caller's recovery codes
         * @description The old codes stop working. The response contains the new codes, which are never shown again. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["createRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the second factor of a sign-in
         * @description Sets the session cookie. A wrong code returns 400 for the field code and may be retried a few times. An expired or used challenge returns 401 for the field challenge: sign in again.
         */
        post: operations["createSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/second-factor/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to use a passkey as the second factor
         * @description Returns options for navigator.credentials.get(). Pass the browser's response to createSecondFactor.
         */
        post: operations["askPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to set up an authenticator app
         * @description Returns a new secret. Signing in asks for codes only after confirmTOTP. Replaces a secret that was not confirmed. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["beginTOTP"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the authenticator app with a code
         * @description From now on, signing in with the password asks for a code. Returns the user's recovery codes, which are never shown again. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["confirmTOTP"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop using the authenticator app
         * @description From now on, signing in with the password asks for no code. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        post: operations["disableTOTP"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's sessions
         * @description Newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End the caller's other sessions
         * @description Ends all sessions of the caller except the one that makes this request.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the caller's sessions
         * @description The browser with this session must sign in again.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statement of a month
         * @description Ledger entries and the usage of each day, with the balance after each. A month that has ended changes only if a relay records a request of that month late. A request fails if the month has more than 10,000 ledger entries. For admins and owners. Access keys need the scope usage:read.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's tenant
         * @description Operators belong to no tenant and get a 403. Every access key may call it.
         */
        get: operations["getOwnTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit the caller's tenant
         * @description Changes only the fields that are sent. For owners. Needs a confirmation that is not older than 15 minutes, see createConfirmation, if the body has require_second_factor.
         */
        patch: operations["updateOwnTenant"];
        trace?: never;
    };
    "/api/tenant/issuer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tenant's OpenID Connect issuer
         * @description For owners and admins.
         */
        get: operations["getTenantIssuer"];
        /**
         * Set the tenant's OpenID Connect issuer
         * @description For owners. Replaces all settings. A new issuer or client needs the client secret, and its discovery document is read first. Sessions that the previous issuer or client opened end, and after a change of the required claims those of this one, except those of the caller. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        put: operations["setTenantIssuer"];
        post?: never;
        /**
         * Delete the tenant's OpenID Connect issuer
         * @description For owners. Nobody needs the issuer from then on, and the sessions that it opened end, except those of the caller. Accounts that it made need an invitation or another issuer to sign in again. Needs a confirmation that is not older than 15 minutes, see createConfirmation.
         */
        delete: operations["deleteTenantIssuer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description Members see their own tokens, admins and owners those of their tenant, operators all tokens. A cursor is valid only with the sort and order of its page. A token that is renamed or used meanwhile can move to another page. Each token has the first 20 of its models and addresses; getToken has all. Access keys need the scope tokens:read.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description The response contains the token's value, which is never shown again. Access keys need the scope tokens:write.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find a token by its value
         * @description Finds the token of a leaked value, also a revoked one, if the caller may see it. The value is compared by its keyed hash. It is neither stored nor logged. Access keys need the scope tokens:read.
         */
        post: operations["lookUpToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the models that a new token could use
         * @description Checks a list of permitted models before a token is created. Creates nothing. Access keys need the scope tokens:read.
         */
        post: operations["previewToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token
         * @description The response does not contain the token's value. Access keys need the scope tokens:read.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a token
         * @description Changes only the fields that are sent. Relays apply the change within a second. The owner of a token cannot change a status, quota or limit that an admin has set (`held`). Access keys need the scope tokens:write.
         */
        patch: operations["updateToken"];
        trace?: never;
    };
    "/api/tokens/{id}/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients of a token
         * @description From which addresses and with which programs the token called models. At most 100 combinations of address and user agent are listed; one more item, without them, counts the calls of all others. Relays write them every few seconds, and some calls may be missing after a failure: usage logs are exact. A client that was not used for the time that the operator has configured is deleted. Access keys need the scope usage:read.
         */
        get: operations["listTokenClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that a token may use
         * @description Returns for each model whether the token may use it, and the reason if it may not. Access keys need the scope tokens:read.
         */
        get: operations["listTokenModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description Relays refuse the token within a second. This cannot be undone. The usage logs of the token are kept. Access keys need the scope tokens:write.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a token
         * @description Revokes the token and creates a new one with the same settings. The new token gets the remaining quota of the old one, and what remains of its budgets in the current periods, without the amounts that relays have reserved. The response contains the new value, which is never shown again. Access keys need the scope tokens:write.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-attribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize usage by end user or tag
         * @description For admins, owners and operators. Adds up daily sums, which follow the usage logs within seconds. A day has sums for up to 32 tags and, of each, for up to 200 values. The sum of items and other is exact. A value that was not among the largest of a day all the time can have less than its usage; the rest is in other. Access keys need the scope usage:read.
         */
        get: operations["getUsageAttribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-log-totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Add up usage logs
         * @description Adds up the usage logs that listUsageLogs lists with the same filters. Whole hours are read from the hourly and daily rollups, which follow the usage logs within seconds and outlive them. Filters that the rollups do not have (outcome, endpoint, error, end_user, client_id, tag) and parts of hours are read from at most 40,000 logs; if that is not enough, complete is false. A request fails if it needs more than 1,000,000 rollups. Access keys need the scope usage:read.
         */
        get: operations["getUsageLogTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List usage logs
         * @description Newest first, or oldest first with order=asc. A cursor is valid only with the order of its page. Members see their own usage, admins and owners that of their tenant, operators all usage. If the filters match only few of very many logs, a page can have fewer items than limit, or none, and still have a next. Access keys need the scope usage:read.
         */
        get: operations["listUsageLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-logs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a usage log with its receipt
         * @description Returns the usage log with the computation of its cost and the channels that were tried. Access keys need the scope usage:read.
         */
        get: operations["getUsageLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize usage in several ways at once
         * @description Returns in one response what several calls of getUsageSummary return: the total, the total of the previous period, a series over time, and breakdowns; on request also the latest failures and the usage by end user. The limits of getUsageSummary apply to each of them: the request fails if a total exceeds them, and a series or breakdown that does has a fault. Access keys need the scope usage:read.
         */
        get: operations["getUsageOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage-summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize usage over time and by dimension
         * @description Adds up the hourly and daily rollups, which follow the usage logs within seconds. A request fails if its result has more than 10,000 rows or needs more than 1,000,000 rollups. Access keys need the scope usage:read.
         */
        get: operations["getUsageSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessKey: {
            /**
             * @description write if one of the scopes permits changes, else read
             * @enum {string}
             */
            access: "read" | "write";
            /** @description Permitted client addresses; empty: every address. A list of keys has the first 20 of each key */
            addresses: string[];
            /**
             * Format: int64
             * @description Number of permitted client addresses
             */
            addresses_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * @description The most that the key may grant, adjust and transfer in one day (UTC), all amounts together; null without the scope billing:write
             * @example 12.50
             */
            grant_limit: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to a minute; null if never
             */
            last_used: string | null;
            /** @description Part of the value by which people recognize the key; useless for authentication */
            mask: string;
            name: string;
            /** @description What the key may do. Each operation names the scope that it needs */
            scopes: ("usage:read" | "tokens:read" | "tokens:write" | "members:read" | "catalog:read" | "catalog:write" | "channels:write" | "tenants:read" | "tenants:write" | "billing:write" | "audit:read")[];
            /**
             * Format: uuid
             * @description null for the key of an operator
             */
            tenant_id: string | null;
            /**
             * Format: uuid
             * @description The user whose rights the key has, within its scopes
             */
            user_id: string;
        };
        Alert: {
            /** Format: date-time */
            created_at: string;
            deliveries: components["schemas"]["AlertDelivery"][];
            /**
             * Format: uuid
             * @description The same at each destination and in each attempt
             */
            id: string;
            /** @enum {string} */
            kind: "quota_used" | "run_out" | "unusual_spend" | "credential_dead" | "model_unavailable" | "drift" | "spool" | "test";
            /**
             * Format: uuid
             * @description null for a test
             */
            rule_id: string | null;
            text: string;
            /** @description In the language of the caller */
            title: string;
        };
        AlertDelivery: {
            /** Format: int64 */
            attempts: number;
            /** Format: uuid */
            destination_id: string;
            /**
             * Format: date-time
             * @description When it was delivered or given up; null while it waits
             */
            ended_at: string | null;
            /** @description Why the last attempt failed; empty if it did not */
            error: string;
            /**
             * Format: date-time
             * @description null unless state is waiting
             */
            next_attempt_at: string | null;
            /**
             * @description waiting: it will be tried, or tried again. failed: given up
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed";
        };
        AlertDestination: {
            /** @enum {string} */
            channel: "mail" | "webhook" | "slack";
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * @description Language of webhooks. Mails have that of their user
             * @enum {string}
             */
            language: "en" | "zh-Hans";
            name: string;
            /**
             * @description disabled: no alerts are sent
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** @description Address of the user, or scheme and host of the URL. The rest of the URL is never shown */
            target: string;
            /**
             * Format: uuid
             * @description The user who gets the mails; null for other channels
             */
            user_id: string | null;
        };
        AlertDestinationPatch: {
            name?: string;
            /** @enum {string} */
            status?: "enabled" | "disabled";
            /** @description A new URL of a webhook, as in createAlertDestination. The signing secret stays: replaceAlertSecret makes a new one */
            url?: string;
        };
        AlertRule: {
            /** Format: date-time */
            created_at: string;
            /** @description Ids of destinations. Without any, alerts appear in the history only */
            destinations: string[];
            /** Format: uuid */
            id: string;
            /**
             * @description From credential_dead on for operators only
             * @enum {string}
             */
            kind: "quota_used" | "run_out" | "unusual_spend" | "credential_dead" | "model_unavailable" | "drift" | "spool";
            name: string;
            /**
             * @description lifetime: the quota. day, week, month: the budget
             * @enum {string}
             */
            period: "lifetime" | "day" | "week" | "month";
            /** @enum {string} */
            status: "enabled" | "disabled";
            /**
             * @description Whose quota; absent for kinds about the platform
             * @enum {string}
             */
            subject?: "tenant" | "user" | "token";
            /**
             * Format: uuid
             * @description null: each one of the organization, for operators each one of the platform
             */
            subject_id: string | null;
            /** @description quota_used: percent of the quota. run_out: days. unusual_spend: percent of the average day. spool: minutes */
            thresholds: number[];
        };
        AlertRulePatch: {
            destinations?: string[];
            name?: string;
            /** @enum {string} */
            status?: "enabled" | "disabled";
            thresholds?: number[];
        };
        Application: {
            /** @description The prices to apply, at most one for each model */
            changes: components["schemas"]["Selected"][];
            /**
             * Format: date-time
             * @description When the prices take effect; later than now
             */
            effective_from: string;
            /** @description Checksum of the file that was compared */
            sha256: string;
        };
        Applied: {
            items: components["schemas"]["AppliedPrice"][];
        };
        AppliedPrice: {
            /** Format: date-time */
            effective_from: string;
            /** Format: uuid */
            id: string;
            model: string;
            price: components["schemas"]["Rates"];
        };
        Attempt: {
            /** @description Name of the channel */
            channel: string;
            /** Format: uuid */
            channel_id: string;
            /** @description Dialect of the upstream if the request was translated. Only operators see it */
            dialect?: string;
            /**
             * Format: int64
             * @description Time until the headers of the response or the failure
             */
            elapsed_ms: number;
            /** @description Error code of the failure. Only operators see it */
            error?: string;
            /** @description Mask of the credential. Only operators see it */
            key?: string;
            /** @description What the upstream said, or why it could not be called, without credentials. Only operators see it */
            message?: string;
            /** @description Why the channel was tried: kept, translated, trial or cooling, see explainRouting. Only operators see it */
            reason?: string;
            /** @description Whether the response came from this attempt */
            served: boolean;
            /**
             * Format: int64
             * @description HTTP status of the upstream. Only operators see it
             */
            status?: number;
            /**
             * @description What the upstream charges for the attempt; absent if it charges nothing or its costs are not known. Only operators see it
             * @example 12.50
             */
            supplier_cost?: string;
            /** @description What the upstream reported although the attempt failed. Only operators see it */
            tokens?: components["schemas"]["LogTokenCounts"];
        };
        AttributedUsage: {
            /**
             * Format: int64
             * @description Input tokens of all classes
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Output tokens of all classes
             */
            output_tokens: number;
            /**
             * @description Quota deducted
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests, of all outcomes
             */
            requests: number;
            /** @description Value of the tag, or the end user */
            value: string;
        };
        AttributionSums: {
            /**
             * Format: int64
             * @description Input tokens of all classes
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description Output tokens of all classes
             */
            output_tokens: number;
            /**
             * @description Quota deducted
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests, of all outcomes
             */
            requests: number;
        };
        AuditEntry: {
            /**
             * @description Kind of the resource and verb. Later versions may add more
             * @example token.create
             * @enum {string}
             */
            action: "access_key.create" | "access_key.revoke" | "access_key.use" | "alert.retry" | "alert_destination.create" | "alert_destination.delete" | "alert_destination.test" | "alert_destination.update" | "alert_rule.create" | "alert_rule.delete" | "alert_rule.update" | "audit_log.lost" | "audit_log.prune" | "billing_account.create" | "billing_account.delete" | "billing_account.fetch" | "billing_account.update" | "billing_account.upload" | "channel.create" | "channel.credential.disable" | "channel.credential.enable" | "channel.test" | "channel.update" | "channel_cost.create" | "channel_cost.withdraw" | "group.create" | "group.update" | "identity.link" | "identity.unlink" | "invitation.accept" | "invitation.create" | "invitation.resend" | "invitation.revoke" | "issuer.approve" | "issuer.delete" | "issuer.set" | "job.cancel" | "job.create" | "job.reveal" | "model.create" | "model.update" | "passkey.create" | "passkey.delete" | "passkey.update" | "password_reset.create" | "price.create" | "price.withdraw" | "price_catalog.remove" | "price_catalog.replace" | "quota.adjustment" | "quota.grant" | "quota.transfer" | "recovery_code.use" | "recovery_codes.replace" | "request.refused" | "rule.create" | "rule.withdraw" | "session.confirm" | "session.create" | "session.delete" | "session.refused" | "tenant.create" | "tenant.erase" | "tenant.read" | "tenant.update" | "token.create" | "token.update" | "totp.begin" | "totp.confirm" | "totp.delete" | "user.create" | "user.erase" | "user.prove_email" | "user.release_email" | "user.reset_factors" | "user.take_over" | "user.update";
            /** @description E-mail address of the user, or name of the program */
            actor: string;
            /** @description Address of the client, for IPv6 that of its network; empty if it is not known */
            address: string;
            /** @description The changed fields with their values before the change, as far as they were recorded: empty for new resources, and for entries of version 0.1.0 */
            before: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** @description The changed fields with their new values */
            detail: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            id: string;
            /** @description The present names of what the entry mentions by id, such as its target, by id. What was deleted has none */
            names: {
                [key: string]: string;
            };
            /** @description Id of the changed resource */
            target: string;
            /**
             * Format: uuid
             * @description Tenant of the changed resource; null for resources of the platform, such as channels
             */
            tenant_id: string | null;
        };
        Authority: {
            /** Format: date-time */
            expires_at: string;
            subject: string;
        };
        BillingAccount: {
            /** @description URL of the provider's API; empty: the public one */
            base_url: string;
            /** @description Ids of the channels whose calls the account pays. A list of accounts has the first 20 of each account */
            channels: string[];
            /**
             * Format: int64
             * @description Number of channels
             */
            channels_count: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When a worker fetches the charges next
             */
            due_at: string;
            /** @description Why the last fetch failed; empty if it did not */
            error: string;
            /**
             * Format: date-time
             * @description Time of the last report or upload; null if there is none
             */
            fetched_at: string | null;
            /** @description Whether a billing credential is stored. It is never shown */
            has_credential: boolean;
            /** Format: uuid */
            id: string;
            /** @description The API keys of the account, if they are compared one by one. Then only calls with these keys count as ours. A list of accounts has the first 20 of each account */
            keys: components["schemas"]["BillingKey"][];
            /**
             * Format: int64
             * @description Number of keys
             */
            keys_count: number;
            name: string;
            /**
             * @description Whose API states the charges. csv: people upload files
             * @enum {string}
             */
            provider: "openai" | "anthropic" | "openrouter" | "csv";
            /**
             * @description disabled: charges are not fetched
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** Format: date-time */
            updated_at: string;
        };
        BillingAccountPatch: {
            /** @description A change drops the billing credential, unless credential has it again */
            base_url?: string;
            channels?: string[];
            /** @description Replaces the billing credential. It is stored encrypted and never shown again */
            credential?: string;
            keys?: components["schemas"]["BillingKey"][];
            name?: string;
            /** @enum {string} */
            status?: "enabled" | "disabled";
        };
        BillingKey: {
            /**
             * @description Id of the key at the provider
             * @example key_abc
             */
            id: string;
            /** @description Mask of the key, as its channel shows it */
            mask: string;
        };
        BodyMemory: {
            /**
             * Format: int64
             * @description Memory that request bodies use
             */
            bytes: number;
            /**
             * Format: int64
             * @description Upper bound of that memory; 0 if the relay did not report one
             */
            max_bytes: number;
            /**
             * Format: int64
             * @description Number of requests that found no memory since the start of the relay
             */
            refused: number;
            /**
             * Format: int64
             * @description Number of requests that wait for memory
             */
            waiting: number;
        };
        Breakdown: {
            /** @description The up to 100 shares with the greatest differences, the greatest first */
            items: components["schemas"]["Share"][];
            /** @description The sum of all other shares */
            rest: components["schemas"]["Totals"];
        };
        Caps: {
            /**
             * @description Budget per day, from midnight UTC; null: unlimited
             * @example 12.50
             */
            day: string | null;
            /**
             * @description Budget per month, from midnight UTC on the first; null: unlimited
             * @example 12.50
             */
            month: string | null;
            /**
             * @description Budget per week, from Monday midnight UTC; null: unlimited
             * @example 12.50
             */
            week: string | null;
        };
        CapsPatch: {
            /**
             * @description Budget per day; null: unlimited
             * @example 12.50
             */
            day?: string | null;
            /**
             * @description Budget per month; null: unlimited
             * @example 12.50
             */
            month?: string | null;
            /**
             * @description Budget per week; null: unlimited
             * @example 12.50
             */
            week?: string | null;
        };
        Catalog: {
            /**
             * Format: date-time
             * @description When the worker last fetched the file; null if it never did
             */
            checked_at: string | null;
            /**
             * Format: int64
             * @description Number of entries
             */
            entries: number;
            /** @description Why the last fetch failed; empty if it did not */
            fault: string;
            /** @description Checksum of the file, in hexadecimal */
            sha256: string;
            /** @description built-in: the file that ships with the product. upload: a file of an operator. Otherwise the URL from which the worker fetched the file */
            source: string;
            /**
             * Format: date-time
             * @description When the file was uploaded or fetched; null for the built-in one
             */
            stored_at: string | null;
            /**
             * Format: date
             * @description The day that the file names
             */
            updated: string;
        };
        CatalogueFault: {
            /** @description Path such as channels[0].models; empty for the manifest as a whole */
            key: string;
            /**
             * Format: int64
             * @description Line in the manifest; 0 if the fault belongs to no single line
             */
            line: number;
            text: string;
        };
        Channel: {
            /** @description Part of each credential by which people recognize it; useless for authentication. A list of channels has the first 20 of each channel */
            api_key_masks: string[];
            /**
             * Format: int64
             * @description Number of credentials
             */
            api_key_masks_count: number;
            /** @description URL of the upstream; empty only for the type echo */
            base_url: string;
            /** Format: date-time */
            created_at: string;
            /** @description Dialects that the upstream speaks: chat, responses, messages or gemini. Calls in other dialects are translated */
            dialects: string[];
            /** @description Only in the answer of updateChannel: the masks of the credentials that the change dropped, because it changes where they would be sent */
            dropped_api_key_masks?: string[];
            /**
             * @deprecated
             * @description The former name of dialects, with the same value
             */
            endpoints: string[];
            /** Format: uuid */
            id: string;
            /** @description Maps public model ids to the ids at the upstream. A list of channels has the first 20 of each channel, in the order of the public ids */
            models: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Number of models
             */
            models_count: number;
            name: string;
            /**
             * @description What happens when a client disconnects during a response. cancel: cancel the upstream call. drain: read the rest of the response, to learn its usage
             * @enum {string}
             */
            on_disconnect: "cancel" | "drain";
            /**
             * Format: int64
             * @description Channels with a lower number are tried first
             */
            priority: number;
            settings: components["schemas"]["ChannelSettings"];
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** @description Words of the operator, for lists of channels: each is unique in its channel and has 1 to 40 characters. They decide nothing, and tenants never see them */
            tags: string[];
            /** @description Kind of upstream: openai, azure, anthropic, gemini or echo */
            type: string;
            /**
             * @description What happens to calls that could cause a charge of the provider for which the model has no price, such as a service tier or a tool that the provider runs. refuse: they go to other channels, or are refused. allow: the channel serves them, and the operator pays the difference
             * @enum {string}
             */
            unpriced: "refuse" | "allow";
            /**
             * Format: int64
             * @description Share of the calls among channels with the same priority
             */
            weight: number;
        };
        ChannelCall: {
            /**
             * Format: int64
             * @description Most output tokens
             */
            max_completion_tokens?: number;
            /** @description The conversation, with the system prompt as its first message */
            messages: {
                [key: string]: unknown;
            }[];
            /** @description Public id of one of the channel's models */
            model: string;
            /** @description Whether the upstream is asked for a stream. The answer of this operation is a stream of events in either case */
            stream?: boolean;
            /** Format: double */
            temperature?: number;
        } & {
            [key: string]: unknown;
        };
        ChannelCallEvent: {
            /** @description In the last event only. All other events are chunks of a chat completion, which the relay's own OpenAPI document describes */
            receipt?: components["schemas"]["ChannelCallReceipt"];
        } & {
            [key: string]: unknown;
        };
        ChannelCallReceipt: {
            /**
             * Format: int64
             * @description Time until the connection was made, as part of latency_ms; 0 if there was none
             */
            connect_ms: number;
            /** @description What the upstream answered in place of a model's answer, at most 16 KiB, without the credential; empty for a request with an access key */
            detail: string;
            /** @description Error code, as of testChannel; empty on success */
            error: string;
            /**
             * Format: int64
             * @description Time until the first byte of the response, as part of latency_ms; 0 if there was none
             */
            first_byte_ms: number;
            /**
             * Format: int64
             * @description Time until the first text, reasoning or call of a tool, as part of latency_ms; absent without one
             */
            first_token_ms?: number;
            /**
             * Format: int64
             * @description Time until the end of the answer
             */
            latency_ms: number;
            /** @description Mask of the credential; empty for a channel without credentials */
            mask: string;
            /** @description Whether the answer is complete */
            ok: boolean;
            /**
             * @description What the tokens cost by the current price of the model, without the rule of a group; absent if the model has no price, or without tokens
             * @example 12.50
             */
            price?: string;
            /**
             * Format: int64
             * @description HTTP status of the upstream; 0 if it did not respond
             */
            status: number;
            /**
             * @description What the upstream charges by the costs of the channel, or as it states itself; absent if that is not known
             * @example 12.50
             */
            supplier_cost?: string;
            /** @description As the upstream reported them; absent if it reported none */
            tokens?: components["schemas"]["TokenCounts"];
        };
        ChannelCost: {
            /** Format: uuid */
            channel_id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the costs take effect
             */
            effective_from: string;
            /**
             * @description What is paid of the list prices: 0.9 stands for a discount of 10 %
             * @example 0.85
             */
            factor: string;
            /** Format: uuid */
            id: string;
            /** @description List prices of the provider in USD per 1M tokens, and per request */
            rates: components["schemas"]["Rates"];
            /**
             * @description scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect
             * @enum {string}
             */
            state: "scheduled" | "current" | "past" | "withdrawn";
            /** @description Id of the model at the upstream */
            upstream_model: string;
            /**
             * Format: date-time
             * @description null unless withdrawn
             */
            withdrawn_at: string | null;
        };
        ChannelDraftTest: {
            /** @description API keys of the upstream. They are stored encrypted and never shown again */
            api_keys?: string[];
            /** @description URL of the upstream. Required for all types except echo */
            base_url?: string;
            /**
             * Format: uuid
             * @description A stored channel that the other fields would change. Its credentials are used, unless the change would make updateChannel drop them
             */
            channel_id?: string;
            /** @description Dialects that the upstream speaks. Required, unless the body has endpoints */
            dialects?: ("chat" | "responses" | "messages" | "gemini")[];
            /**
             * @description The endpoint that a client would call. Defaults to one whose dialect the channel speaks
             * @enum {string}
             */
            endpoint?: "chat" | "responses" | "embeddings";
            /**
             * @deprecated
             * @description The former name of dialects. A body with both has the same value in both
             */
            endpoints?: ("chat" | "responses" | "messages" | "gemini")[];
            /** @description Public id of one of the channel's models. Defaults to the first */
            model?: string;
            /** @description Maps public model ids to the ids at the upstream */
            models: {
                [key: string]: string;
            };
            name: string;
            /**
             * @description What happens when a client disconnects during a response. cancel: cancel the upstream call. drain: read the rest of the response, to learn its usage
             * @default cancel
             * @enum {string}
             */
            on_disconnect: "cancel" | "drain";
            /**
             * Format: int64
             * @description Channels with a lower number are tried first
             */
            priority?: number;
            settings?: components["schemas"]["ChannelSettingsPatch"];
            /**
             * @default enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** @description Words of the operator, for lists of channels, see Channel */
            tags?: string[];
            /** @description Kind of upstream: openai, azure, anthropic, gemini or echo */
            type: string;
            /**
             * @description What happens to calls that could cause a charge without a price, see Channel
             * @default refuse
             * @enum {string}
             */
            unpriced: "refuse" | "allow";
            /**
             * Format: int64
             * @description Share of the calls among channels with the same priority
             * @default 1
             */
            weight: number;
        };
        ChannelHealth: {
            /** @description State of each credential. A channel without credentials has one entry with an empty fingerprint once it was probed. A list of channels has the first 20 of each channel */
            credentials: components["schemas"]["CredentialHealth"][];
            /**
             * Format: int64
             * @description Number of the entries of credentials
             */
            credentials_count: number;
            /** @description Faults that relays report; empty if there are none. A list of channels has the first 20 of each channel */
            relays: components["schemas"]["RelayHealth"][];
            /**
             * Format: int64
             * @description Number of these faults
             */
            relays_count: number;
            /**
             * @description State of an enabled channel, by all of its credentials and faults. failing: no credential works. degraded: a credential does not work, or a relay reports a fault that concerns all tenants. unknown: nothing has failed, and no probe has succeeded
             * @enum {string}
             */
            state: "healthy" | "degraded" | "failing" | "unknown";
        };
        ChannelMargin: {
            /** @description Name of the channel */
            channel: string;
            /** Format: uuid */
            channel_id: string;
            /** @description Empty if the costs are not known */
            classes: components["schemas"]["ClassMargin"][];
            /** @description Whether costs are stated for the model of the channel at effective_from */
            known: boolean;
        };
        ChannelPatch: {
            /** @description Replaces all API keys of the channel. They are stored encrypted and never shown again */
            api_keys?: string[];
            base_url?: string;
            /** @description Dialects that the upstream speaks */
            dialects?: ("chat" | "responses" | "messages" | "gemini")[];
            /**
             * @deprecated
             * @description The former name of dialects. A body with both has the same value in both
             */
            endpoints?: ("chat" | "responses" | "messages" | "gemini")[];
            /** @description Replaces the map of public model ids to the ids at the upstream */
            models?: {
                [key: string]: string;
            };
            name?: string;
            /**
             * @description What happens when a client disconnects during a response, see Channel
             * @enum {string}
             */
            on_disconnect?: "cancel" | "drain";
            /** Format: int64 */
            priority?: number;
            /** @description Adds and removes single API keys. Cannot be combined with api_keys, or with a change of where API keys are sent */
            rotation?: components["schemas"]["CredentialRotation"];
            settings?: components["schemas"]["ChannelSettingsPatch"];
            /** @enum {string} */
            status?: "enabled" | "disabled";
            /** @description Replaces the tags, see Channel */
            tags?: string[];
            /**
             * @description What happens to calls that could cause a charge without a price, see Channel
             * @enum {string}
             */
            unpriced?: "refuse" | "allow";
            /** Format: int64 */
            weight?: number;
        };
        ChannelSettings: {
            /** @description Slug of the tenant to which the upstream's account belongs alone; empty if tenants share it */
            account_of: string;
            /** @description Version of the upstream's API, for types with dated versions */
            api_version: string;
            /** @description Certificate authorities that are trusted instead of the system's */
            authorities: components["schemas"]["Authority"][];
            /**
             * Format: int64
             * @description Number of certificate authorities
             */
            authorities_count: number;
            /** @description Time-out of one connection attempt, such as 5s; empty: the relay's default */
            connect_timeout: string;
            /** @description Time-out until the first byte of a response, such as 5m; empty: the relay's default */
            first_byte_timeout: string;
            /** @description Headers that are set on each request to the upstream */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Number of these headers
             */
            headers_count: number;
            /** @description Longest silence during a response, such as 90s; empty: the relay's default */
            idle_timeout: string;
            /**
             * @description Whether calls may go to this channel of which the relay ignores something: a field that only restricts the answer or gives a hint, if the channel's API does not have it, or an optional tool of the provider that no channel has. report: it is ignored, and listed in the header x-tollgate-ignored-fields and in the usage log. refuse: such calls are not sent to this channel
             * @enum {string}
             */
            ignored_fields: "report" | "refuse";
            /** @description Features that the upstream does not support. Calls that need one are not sent to this channel */
            lacks: string[];
            /** @description Fields that are set at the top level of each request body. A null value removes the field */
            parameters: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Number of these fields
             */
            parameters_count: number;
            /** @description URL of the proxy that leads to the upstream, without its credentials */
            proxy: string;
            /** @description Differences of an OpenAI-compatible server from OpenAI's protocol */
            quirks: string[];
            /** @description Text that is put before the instructions of each request */
            system_prompt: string;
        };
        ChannelSettingsPatch: {
            /** @description Slug of the tenant to which the upstream's account belongs alone. Only its calls go to the channel, and they may refer to files, containers, vector stores, prompts and items of the account */
            account_of?: string | null;
            /** @description Version of the upstream's API, for types with dated versions */
            api_version?: string | null;
            /** @description Certificates of authorities, in PEM, that are trusted instead of the system's */
            ca?: string | null;
            /** @description Time-out of one connection attempt, such as 5s; null or empty: the relay's default */
            connect_timeout?: string | null;
            /** @description Time-out until the first byte of a response, such as 5m; null or empty: the relay's default */
            first_byte_timeout?: string | null;
            /** @description Headers to set on each request to the upstream. Not for credentials, because operators can read them */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description Longest silence during a response, such as 90s; null or empty: the relay's default */
            idle_timeout?: string | null;
            /**
             * @description Whether calls may go to this channel of which the relay ignores something, see ChannelSettings; null: report
             * @enum {string|null}
             */
            ignored_fields?: "report" | "refuse" | null;
            /** @description Features that the upstream does not support. Calls that need one are not sent to this channel */
            lacks?: ("stream" | "tools" | "vision" | "structured_output")[] | null;
            /** @description Fields to set at the top level of each request body. A null value removes the field */
            parameters?: {
                [key: string]: unknown;
            } | null;
            /** @description URL of the proxy: http, https or socks5. Its credentials are stored encrypted and never shown again */
            proxy?: string | null;
            /** @description Differences of an OpenAI-compatible server. no_stream_options: it refuses stream_options. max_tokens: it knows max_tokens but not max_completion_tokens. system_role: it knows the role system but not developer. reasoning_content: it needs the reasoning of earlier turns */
            quirks?: ("no_stream_options" | "max_tokens" | "system_role" | "reasoning_content")[] | null;
            /** @description Text to put before the instructions of each request */
            system_prompt?: string | null;
        };
        ChannelTest: {
            /**
             * @description The endpoint that a client would call. Defaults to one whose dialect the channel speaks
             * @enum {string}
             */
            endpoint?: "chat" | "responses" | "embeddings";
            /** @description Fingerprint of the credential to use. Defaults to the first enabled one */
            fingerprint?: string;
            /** @description Public id of one of the channel's models. Defaults to the first */
            model?: string;
        };
        ChannelTested: {
            /**
             * Format: int64
             * @description Time until the connection was made, as part of latency_ms; 0 if there was none
             */
            connect_ms: number;
            /** @description Error message of the upstream, at most 1,000 bytes; empty for a request with an access key */
            detail: string;
            /** @enum {string} */
            endpoint: "chat" | "responses" | "embeddings";
            /** @description Error code; empty on success */
            error: string;
            /**
             * Format: int64
             * @description Time until the first byte of the response, as part of latency_ms; 0 if there was none
             */
            first_byte_ms: number;
            /** Format: int64 */
            latency_ms: number;
            /** @description Mask of the credential */
            mask: string;
            model: string;
            /** @description Whether the upstream responded without an error */
            ok: boolean;
            /**
             * Format: int64
             * @description HTTP status of the upstream; 0 if it did not respond
             */
            status: number;
        };
        ChannelsHealth: {
            /** @description Ordered by channel_id */
            items: components["schemas"]["HealthOfChannel"][];
            /** @description Pass it as after to get the following channels; empty if there are none. A page ends at about 1 MiB */
            next: string;
        };
        ClassMargin: {
            /**
             * Format: int64
             * @description For calls with more input tokens than this; absent for all others
             */
            above_input?: number;
            /** @description A class of tokens such as input, a tool such as web_search, or request */
            class: string;
            /**
             * @description What the upstream charges
             * @example 12.50
             */
            cost: string;
            /**
             * @description Price minus cost; negative for a loss
             * @example 12.50
             */
            margin: string;
            /**
             * @description The new price
             * @example 12.50
             */
            price: string;
            /** @description For calls in this service tier; absent for ordinary calls */
            service_tier?: string;
        };
        CodeProof: {
            /** @description The six digits that the authenticator app shows */
            code: string;
        };
        CompletionsResult: {
            /** @description Id of the token, if group_by has api_key_id */
            api_key_id: string | null;
            /**
             * Format: int64
             * @description Part of input_tokens
             */
            input_audio_tokens: number;
            /**
             * Format: int64
             * @description Part of input_tokens that was read from a cache
             */
            input_cached_tokens: number;
            /**
             * Format: int64
             * @description All input tokens: of text, images and audio, those read from and written to caches included
             */
            input_tokens: number;
            /** @description Id of the model, if group_by has model */
            model: string | null;
            /**
             * Format: int64
             * @description Number of requests, failed ones included
             */
            num_model_requests: number;
            /** @enum {string} */
            object: "organization.usage.completions.result";
            /**
             * Format: int64
             * @description Part of output_tokens
             */
            output_audio_tokens: number;
            /**
             * Format: int64
             * @description All output tokens: of text, images and audio, those of reasoning included
             */
            output_tokens: number;
            /** @description Id of the tenant, if group_by has project_id */
            project_id: string | null;
            /** @description Id of the user, if group_by has user_id */
            user_id: string | null;
        };
        Confirmation: {
            /**
             * Format: date-time
             * @description When the user last proved the identity in this session: the sign-in or a later confirmation
             */
            confirmed_at: string;
            /**
             * Format: date-time
             * @description When operations that need a confirmation are refused until the next one. It does not change when the session expires
             */
            expires_at: string;
            /** @description The ways in which the user can confirm; each is enough. Empty for a user who must sign in again */
            methods: ("passkey" | "password" | "totp" | "recovery_code" | "oidc")[];
            /** @description How to confirm at the OpenID Connect issuer; absent if the user has no account there */
            oidc?: components["schemas"]["OIDCMethod"];
        };
        CostAmount: {
            /** @enum {string} */
            currency: "usd";
            /**
             * Format: double
             * @description Quota deducted. A number and not a text, as at OpenAI, so it is rounded beyond 15 digits
             */
            value: number;
        };
        CostBucket: {
            /**
             * Format: int64
             * @description End, exclusive, in Unix seconds
             */
            end_time: number;
            /** @enum {string} */
            object: "bucket";
            results: components["schemas"]["CostResult"][];
            /**
             * Format: int64
             * @description Start, inclusive, in Unix seconds
             */
            start_time: number;
        };
        CostResult: {
            amount: components["schemas"]["CostAmount"];
            /** @description Id of the model, if group_by has line_item */
            line_item: string | null;
            /** @enum {string} */
            object: "organization.costs.result";
            /** @description Id of the tenant, if group_by has project_id */
            project_id: string | null;
        };
        CostsPage: {
            /** @description Oldest first. Days without costs have no results */
            data: components["schemas"]["CostBucket"][];
            has_more: boolean;
            /** @description The value of page for the following days; null if there are none */
            next_page: string | null;
            /** @enum {string} */
            object: "page";
        };
        CreatedAccessKey: {
            /**
             * @description write if one of the scopes permits changes, else read
             * @enum {string}
             */
            access: "read" | "write";
            /** @description Permitted client addresses; empty: every address. A list of keys has the first 20 of each key */
            addresses: string[];
            /**
             * Format: int64
             * @description Number of permitted client addresses
             */
            addresses_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * @description The most that the key may grant, adjust and transfer in one day (UTC), all amounts together; null without the scope billing:write
             * @example 12.50
             */
            grant_limit: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to a minute; null if never
             */
            last_used: string | null;
            /** @description Part of the value by which people recognize the key; useless for authentication */
            mask: string;
            name: string;
            /** @description What the key may do. Each operation names the scope that it needs */
            scopes: ("usage:read" | "tokens:read" | "tokens:write" | "members:read" | "catalog:read" | "catalog:write" | "channels:write" | "tenants:read" | "tenants:write" | "billing:write" | "audit:read")[];
            /**
             * Format: uuid
             * @description null for the key of an operator
             */
            tenant_id: string | null;
            /**
             * Format: uuid
             * @description The user whose rights the key has, within its scopes
             */
            user_id: string;
            /** @description The key itself. It is shown only in this response: store it in a safe place */
            value: string;
        };
        CreatedAlertDestination: {
            destination: components["schemas"]["AlertDestination"];
            /** @description Secret with which webhooks are signed. It is never shown again. Absent for mail and slack */
            secret?: string;
        };
        CreatedModel: {
            /** @description false: a model with this id exists already. It was left as it is, with its price */
            created: boolean;
            /** @description Id of the entry */
            entry: string;
            /** @description Public id of the model */
            model: string;
        };
        CreatedModels: {
            /** @description In the order of the request */
            items: components["schemas"]["CreatedModel"][];
        };
        CreatedPrice: {
            /**
             * Format: date-time
             * @description When the price takes effect
             */
            effective_from: string;
            /** Format: uuid */
            id: string;
            model: string;
            /** @description Price in USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
        };
        CreatedPrices: {
            /** @description In the order of the request */
            items: components["schemas"]["CreatedPrice"][];
        };
        CreatedToken: {
            /** @description Permitted client addresses; empty: every address, or the token is revoked. A list of tokens has the first 20 of each token */
            addresses: string[];
            /**
             * Format: int64
             * @description Number of permitted client addresses
             */
            addresses_count: number;
            caps: components["schemas"]["Caps"];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description null: never
             */
            expires_at: string | null;
            /** @description Fields that an admin has restricted, such as status, quota or caps.day: the owner of the token cannot change them */
            held: string[];
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Time of the latest call in the usage logs, or its hour if the logs are deleted; null if the token was never used
             */
            last_used: string | null;
            limits: components["schemas"]["Limits"];
            /** @description Part of the value by which people recognize the token; useless for authentication */
            mask: string;
            /** @description Permitted models; empty: all models of the user's group, or the token is revoked. A list of tokens has the first 20 of each token */
            models: string[];
            /**
             * Format: int64
             * @description Number of permitted models
             */
            models_count: number;
            name: string;
            /**
             * @description playground: created by the console for its playground. Empty for all other tokens
             * @enum {string}
             */
            purpose: "" | "playground";
            quota: components["schemas"]["Quota"];
            /**
             * @description Only enabled tokens work. A revoked token cannot be enabled again
             * @enum {string}
             */
            status: "enabled" | "disabled" | "revoked";
            /** Format: uuid */
            tenant_id: string;
            /** @description E-mail address of the owner */
            user_email: string;
            /** Format: uuid */
            user_id: string;
            /** @description The token itself. It is shown only in this response: store it in a safe place */
            value: string;
        };
        CredentialHealth: {
            /** @description Identifies the credential; empty if it cannot be decrypted */
            fingerprint: string;
            /** @description Part of the credential by which people recognize it */
            mask: string;
            /** @description Result of the last probe; absent if there was none */
            probe?: components["schemas"]["Probe"];
            /**
             * @description Why it is disabled. denied: the upstream does not accept it. unpaid: its account has no money or quota left
             * @enum {string}
             */
            reason?: "denied" | "unpaid";
            /**
             * Format: date-time
             * @description When it was disabled; null otherwise
             */
            since: string | null;
            /**
             * @description disabled: the upstream refused it. unreadable: it was encrypted with another secret key
             * @enum {string}
             */
            status: "enabled" | "disabled" | "unreadable";
        };
        CredentialRotation: {
            /** @description API keys to add. They are stored encrypted and never shown again */
            add?: string[];
            /** @description Fingerprints of the credentials to remove. For a credential that cannot be decrypted, its mask */
            remove?: string[];
        };
        Difference: {
            /** @description The rates that differ; empty if the price is the same */
            changes: components["schemas"]["RateChange"][];
            entry: components["schemas"]["Entry"];
            /** @description Public id of the model */
            model: string;
            /**
             * Format: uuid
             * @description The current version of the price; null if the model has none
             */
            price_id: string | null;
            /**
             * Format: date-time
             * @description When a scheduled version with the same rates takes effect; null if there is none
             */
            scheduled_at: string | null;
            /** @description What an operator must confirm before the price is applied. large_rise: a rate rises by more than 50 %. zero: a rate falls to zero. new_rate: the current price does not have the rate. removed: the entry does not have a rate of the current price. unverified: the entry was not compared with the provider's own page */
            warnings: ("large_rise" | "zero" | "new_rate" | "removed" | "unverified")[];
        };
        Differences: {
            items: components["schemas"]["Difference"][];
            /** @description Pass it as after to get the following page; empty on the last page */
            next: string;
            /** @description Checksum of the file. Pass it to applyPriceCatalog */
            sha256: string;
        };
        Drift: {
            /**
             * Format: uuid
             * @description Id of the tenant, user or token that owns the account; null for hours and days
             */
            account_id: string | null;
            /**
             * @description What was compared. logs_hourly: usage logs with hourly rollups. hourly_daily: hourly with daily rollups. hourly_totals, daily_totals: rollups with the totals of tenants and of the platform. account_used: usage with the used quota of accounts. account_leased: leases with the leased quota of accounts. wallet_granted: the ledger with the granted quota of tenants
             * @enum {string}
             */
            check: "logs_hourly" | "hourly_daily" | "hourly_totals" | "daily_totals" | "account_used" | "account_leased" | "wallet_granted";
            /**
             * Format: int64
             * @description Sum of the absolute differences. It is not 0 even if the entries differ in opposite directions, so that expected equals found
             */
            difference: number;
            /**
             * Format: int64
             * @description Sum of the expected values, over all entries that differ
             */
            expected: number;
            /** Format: date-time */
            first_seen: string;
            /**
             * Format: int64
             * @description Sum of the found values, over the same entries
             */
            found: number;
            /** Format: date-time */
            last_seen: string;
            /**
             * @description Unit of expected, found and difference. quota: nano-dollars
             * @enum {string}
             */
            measure: "quota" | "requests" | "tokens";
            /**
             * Format: date-time
             * @description Start of the hour or day; null for accounts
             */
            start: string | null;
            /**
             * Format: uuid
             * @description null for totals of the platform
             */
            tenant_id: string | null;
        };
        EffectivePrice: {
            /** @description A class of tokens, such as input or cached_input, a tool such as web_search, or request */
            class: string;
            /** @description USD per 1M tokens of the class, or per call or session of the tool, or per request; an exact decimal */
            price: string;
        };
        EffectiveServiceTier: {
            /** @description The service tier that the answer names, such as priority or flex */
            name: string;
            prices: components["schemas"]["EffectivePrice"][];
            /** @description Prices of calls with a long input in the service tier */
            tiers: components["schemas"]["EffectiveTier"][];
        };
        EffectiveTier: {
            /**
             * Format: int64
             * @description The prices apply to calls with more input tokens than this, cached ones included
             */
            above_input: number;
            prices: components["schemas"]["EffectivePrice"][];
        };
        EnableCredential: {
            /** @description Fingerprint of the credential, as getChannelHealth returns it */
            fingerprint: string;
        };
        Entry: {
            /** @description Other ids of the model at the same price */
            aliases: string[];
            /** @description Whether the rates of tokens were compared with the provider's own page */
            checked: boolean;
            /** @description What an operator must confirm before a model is created from the entry. zero: a rate is zero. unverified: the entry was not compared with the provider's own page */
            confirm: ("zero" | "unverified")[];
            /**
             * Format: int64
             * @description The most tokens of input and output together; 0: not known
             */
            context_length: number;
            /** @description Provider and model, such as openai/gpt-4o */
            id: string;
            /**
             * Format: int64
             * @description The most tokens of one answer; 0: not known
             */
            max_output_tokens: number;
            /** @description What the model reads and writes */
            modalities: components["schemas"]["Modalities"];
            /** @description The provider's id of the model */
            model: string;
            /** @description What a reader of the prices must know; may be empty */
            note: string;
            /** @description Price in USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
            provider: string;
            /**
             * Format: date
             * @description The day on which they were read
             */
            read: string;
            /** @description URL of the page from which the prices were read */
            source: string;
        };
        EntryList: {
            /** @description At most 50 */
            items: components["schemas"]["Entry"][];
            /** @description Checksum of the file. Pass it to createPriceCatalogModels */
            sha256: string;
        };
        Error: {
            /**
             * @description Stable name of the kind of failure, for programs
             * @example not_found
             */
            code: string;
            /** @description Explanation of the failure, for people */
            detail: string;
            /** @description All faulty fields, if there are several */
            errors?: components["schemas"]["Field"][];
            /**
             * @description Path of the faulty field
             * @example name
             */
            param?: string;
            /**
             * Format: int64
             * @description HTTP status
             */
            status: number;
            /** @description Standard text of the HTTP status */
            title: string;
            /** @description Always about:blank; the field code names the kind of failure */
            type: string;
        };
        ExportResult: {
            /** Format: int64 */
            rows: number;
        };
        Factors: {
            /**
             * Format: int64
             * @description Number of passkeys
             */
            passkeys: number;
            /**
             * Format: int64
             * @description Number of recovery codes that are not used yet
             */
            recovery_codes: number;
            /** @description Whether signing in with the password also asks for a code of an authenticator app */
            totp: boolean;
            /**
             * Format: date-time
             * @description When the authenticator app was confirmed; null if there is none
             */
            totp_since: string | null;
        };
        Field: {
            message: string;
            param: string;
        };
        Forecast: {
            /**
             * @description Average spend per 24 hours, over today and the six days before it (UTC), or since the tenant or user was created if that is later
             * @example 12.50
             */
            daily_spend: string;
            /**
             * Format: date-time
             * @description When nothing is left; null if that does not happen at this rate
             */
            runs_out_at: string | null;
        };
        FullProof: {
            /** @description The six digits that the authenticator app shows, or a recovery code */
            code: string;
            /** @description The current password of the user */
            password: string;
        };
        Group: {
            /** Format: date-time */
            created_at: string;
            /**
             * @description Fixed price per request of the same rule, instead of the prices of the models; null if there is none
             * @example 12.50
             */
            fixed: string | null;
            /** Format: uuid */
            id: string;
            /** @description Rate limits for all users of the group in one tenant together. Each tenant has its own allowance */
            limits: components["schemas"]["Limits"];
            /** @description Models that the users may use: ids, prefixes with a trailing *, or * for all models. A list of groups has the first 20 of each group */
            models: string[];
            /**
             * Format: int64
             * @description Number of the entries of models
             */
            models_count: number;
            /**
             * @description Multiplier of the current price rule for all models; 1 if there is no rule
             * @example 0.85
             */
            multiplier: string;
            name: string;
            /** @enum {string} */
            status: "enabled" | "disabled";
        };
        GroupPatch: {
            limits?: components["schemas"]["LimitsPatch"];
            /** @description Replaces the models that the users may use */
            models?: string[];
            /**
             * @description Adds a price rule for all models that takes effect now
             * @example 0.85
             */
            multiplier?: string;
            name?: string;
            /**
             * @description disabled: users of the group may use no models
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        Health: {
            /**
             * Format: int64
             * @description Version of the catalog (groups, models, prices, channels) that relays should have by now
             */
            change_version: number;
            /** @enum {string} */
            database: "ok" | "failing";
            leases: components["schemas"]["Leases"];
            /** @description Enabled models without a healthy channel: no channel has them, or all their channels are disabled or failing */
            models_without_channel: components["schemas"]["UnservedModels"];
            /**
             * Format: int64
             * @description Number of usage entries that are not in the rollups yet, counted up to 10,000. Stays near 0 while a worker runs
             */
            outbox_depth: number;
            queues: components["schemas"]["Queues"];
            /** @description Result of comparing usage logs, rollups, accounts, leases and ledger */
            reconciliation: components["schemas"]["Reconciliation"];
            /** @description Up to 100 relays, the most recently seen first. A relay that is not seen for 30 days is removed */
            relays: components["schemas"]["Relay"][];
            storage: components["schemas"]["Storage"];
        };
        HealthOfChannel: {
            /** Format: uuid */
            channel_id: string;
            /** @description State of each credential. A channel without credentials has one entry with an empty fingerprint once it was probed. A list of channels has the first 20 of each channel */
            credentials: components["schemas"]["CredentialHealth"][];
            /**
             * Format: int64
             * @description Number of the entries of credentials
             */
            credentials_count: number;
            /** @description Faults that relays report; empty if there are none. A list of channels has the first 20 of each channel */
            relays: components["schemas"]["RelayHealth"][];
            /**
             * Format: int64
             * @description Number of these faults
             */
            relays_count: number;
            /**
             * @description State of an enabled channel, by all of its credentials and faults. failing: no credential works. degraded: a credential does not work, or a relay reports a fault that concerns all tenants. unknown: nothing has failed, and no probe has succeeded
             * @enum {string}
             */
            state: "healthy" | "degraded" | "failing" | "unknown";
        };
        Identity: {
            /**
             * Format: date-time
             * @description When the session or the access key expires
             */
            expires_at: string;
            /** @description Whether the user needs a second factor and has none: all other operations than those that set one up answer 403 */
            must_enrol: boolean;
            /** @description Absent for operators */
            tenant?: components["schemas"]["IdentityTenant"];
            user: components["schemas"]["IdentityUser"];
        };
        IdentityPatch: {
            /**
             * @description The language of the console and of mails to the user
             * @enum {string}
             */
            language: "en" | "zh-Hans";
        };
        IdentityProof: {
            /** @description The six digits that the authenticator app shows, or a recovery code */
            code?: string;
            /** @description The browser's response to the options of beginConfirmation, as PublicKeyCredential.toJSON() returns it */
            passkey?: unknown;
            /** @description The current password of the user */
            password?: string;
        };
        IdentityTenant: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
        };
        IdentityUser: {
            email: string;
            /**
             * Format: uuid
             * @description Absent for operators
             */
            group_id?: string;
            /** Format: uuid */
            id: string;
            /**
             * @description The language of the console and of mails to the user; absent until the user chooses one. Mails are then in English
             * @enum {string}
             */
            language?: "en" | "zh-Hans";
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
        };
        ImageGeneration: {
            /**
             * @description Without a price they cost as much as input
             * @example 12.50
             */
            image_input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            output?: string;
        };
        ImportParameters: {
            apply: boolean;
            /** Format: int64 */
            bytes: number;
        };
        ImportResult: {
            /** @description Whether the changes were made; if false, nothing was changed */
            applied: boolean;
            /**
             * Format: int64
             * @description Number of resources that are created or changed; 0 if everything is as declared
             */
            changes: number;
            /** @description The changes in order, at most 1,000 */
            deeds: components["schemas"]["ImportedThing"][];
            /** @description Faults of the manifest; if there are any, nothing was changed */
            faults: components["schemas"]["CatalogueFault"][];
            /**
             * Format: int64
             * @description Number of tokens that are created with a generated value
             */
            tokens: number;
            /** @description Declarations of the manifest that an import cannot carry out */
            warnings: string[];
        };
        ImportedThing: {
            /** @enum {string} */
            action: "created" | "changed";
            name: string;
            /** @enum {string} */
            thing: "group" | "group_rule" | "model" | "price" | "channel" | "tenant" | "user" | "token" | "operator";
        };
        ImportedToken: {
            name: string;
            /** @description Slug of the tenant */
            tenant: string;
            /** @description E-mail address of the user */
            user: string;
            value: string;
        };
        ImportedTokens: {
            items: components["schemas"]["ImportedToken"][];
        };
        Invitation: {
            /** Format: date-time */
            created_at: string;
            email: string;
            /**
             * Format: date-time
             * @description When the link stops working
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description null for operators
             */
            group_id: string | null;
            /** Format: uuid */
            id: string;
            /** @description E-mail address of the user who sent the invitation, and the access key if a program did */
            invited_by: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /**
             * Format: date-time
             * @description When the current link was created
             */
            sent_at: string;
            /**
             * @description pending: the link can be used
             * @enum {string}
             */
            status: "pending" | "expired" | "accepted" | "revoked";
            /**
             * Format: uuid
             * @description The tenant of the future user; null for an invitation to become an operator
             */
            tenant_id: string | null;
        };
        IssuerDomain: {
            /** @description Whether an operator approved that the sign-in page sends people with addresses of the domain to the issuer. People sign in with the sign-in URL until then */
            approved: boolean;
            domain: string;
        };
        IssuerSettings: {
            client_id: string;
            /** @description Absent: the stored one, which is sent to the same issuer and client only */
            client_secret?: string;
            /** @description Whether the first sign-in of a person without an account or invitation makes an account */
            create_members?: boolean;
            /**
             * @description Role of accounts that sign-ins make. Their group is that of the owner who set the issuer, unless an operator chose another
             * @default member
             * @enum {string}
             */
            default_role: "member" | "admin";
            /** @description Domains of the e-mail addresses that may sign in through the issuer */
            domains: string[];
            /** @description Whether users of the tenant other than owners must sign in through the issuer. Their other sessions end */
            enforced?: boolean;
            /** @description URL of the issuer, as in its discovery document: https */
            issuer: string;
            /** @description Claims that the ID token must have at each sign-in. When they change, the sessions that the issuer opened end, except those of the caller */
            required_claims?: components["schemas"]["RequiredClaim"][];
            /** @description Whether the address counts as verified if the issuer does not say whether it is. An address that the issuer reports as not verified is refused in any case */
            trust_email?: boolean;
        };
        Job: {
            /** Format: date-time */
            created_at: string;
            /** @description Why the job failed; absent otherwise */
            error?: components["schemas"]["JobError"];
            /**
             * Format: date-time
             * @description When the job is deleted, with its result and file; null until the job is finished
             */
            expires_at: string | null;
            /** @description The file that getJobFile returns; absent if there is none */
            file?: components["schemas"]["JobFile"];
            /**
             * Format: date-time
             * @description When the job ended; null until then
             */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "usage_export" | "price_simulation" | "catalogue_import";
            parameters: components["schemas"]["JobParameters"];
            progress: components["schemas"]["JobProgress"];
            /** @description Result of a finished job. Only getJob returns it */
            result?: components["schemas"]["JobResult"];
            /**
             * Format: date-time
             * @description When a worker started the job; null until then
             */
            started_at: string | null;
            /**
             * @description succeeded, failed and cancelled are final
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            /** @description Whether takeImportedTokens can still return the values of tokens that an import created */
            tokens: boolean;
            /**
             * Format: uuid
             * @description The user who created the job
             */
            user_id: string;
        };
        JobError: {
            /** @description Error code, such as too_large */
            code: string;
            message: string;
        };
        JobFile: {
            media_type: string;
            name: string;
            /**
             * Format: int64
             * @description Size in bytes, uncompressed
             */
            size: number;
        };
        JobParameters: {
            catalogue_import?: components["schemas"]["ImportParameters"];
            price_simulation?: components["schemas"]["SimulationParameters"];
            usage_export?: components["schemas"]["UsageExport"];
        };
        JobProgress: {
            /**
             * Format: int64
             * @description Number of usage logs that were read
             */
            done: number;
            /**
             * Format: int64
             * @description Estimated number of usage logs to read; null if it is not known
             */
            total: number | null;
        };
        JobResult: {
            catalogue_import?: components["schemas"]["ImportResult"];
            price_simulation?: components["schemas"]["SimulationResult"];
            usage_export?: components["schemas"]["ExportResult"];
        };
        LeasedAccount: {
            /**
             * Format: uuid
             * @description Id of the tenant, user or token; the account of a budget has an id of its own
             */
            account_id: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            amount: string;
            kind: string;
            /**
             * Format: int64
             * @description Number of relays that have leased quota from the account
             */
            leases: number;
            /** Format: uuid */
            tenant_id: string | null;
        };
        LeasedKind: {
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            amount: string;
            /** @description Kind of account: tenant, tenant_cap (a tenant's budget), user or token */
            kind: string;
            /** Format: int64 */
            leases: number;
        };
        Leases: {
            kinds: components["schemas"]["LeasedKind"][];
            /** @description The ten accounts with the most leased quota */
            largest: components["schemas"]["LeasedAccount"][];
        };
        LedgerEntry: {
            /** @description E-mail address of the user, or name of the program, that made the entry */
            actor: string;
            /**
             * @description Negative if quota is taken back
             * @example 12.50
             */
            amount: string;
            /**
             * Format: uuid
             * @description The other tenant of a transfer. Only operators see it; null for all others
             */
            counterpart_id: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * @description Quota granted in total after this entry: the sum of all amounts up to and including this one
             * @example 12.50
             */
            granted: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "grant" | "adjustment" | "transfer";
            reason: string;
            /** Format: uuid */
            tenant_id: string;
            /**
             * Format: uuid
             * @description Id that both entries of a transfer share; null for other kinds
             */
            transfer_id: string | null;
        };
        Limit: {
            /**
             * @description The most that may be spent; null: unlimited
             * @example 12.50
             */
            granted: string | null;
            /**
             * @description Kind of the owner
             * @enum {string}
             */
            kind: "tenant" | "user" | "token";
            /**
             * @description Reserved by relays for current and coming requests. It is part of left
             * @example 12.50
             */
            leased: string;
            /**
             * @description granted - used; null: unlimited
             * @example 12.50
             */
            left: string | null;
            /**
             * Format: uuid
             * @description Id of the tenant, user or token
             */
            owner_id: string;
            /**
             * @description lifetime: a quota. day, week, month: a budget
             * @enum {string}
             */
            period: "lifetime" | "day" | "week" | "month";
            /**
             * Format: date-time
             * @description When the period ends and used returns to 0; null for lifetime
             */
            resets_at: string | null;
            /**
             * @description What finished requests have cost so far
             * @example 12.50
             */
            used: string;
        };
        Limits: {
            /**
             * Format: int64
             * @description Concurrent requests; 0: unlimited
             */
            concurrency: number;
            /**
             * Format: int64
             * @description Requests per minute; 0: unlimited
             */
            requests_per_minute: number;
            /**
             * Format: int64
             * @description Input and output tokens per minute; 0: unlimited
             */
            tokens_per_minute: number;
        };
        LimitsPatch: {
            /**
             * Format: int64
             * @description Concurrent requests; 0 or null: unlimited
             */
            concurrency?: number | null;
            /**
             * Format: int64
             * @description Requests per minute; 0 or null: unlimited
             */
            requests_per_minute?: number | null;
            /**
             * Format: int64
             * @description Input and output tokens per minute; 0 or null: unlimited
             */
            tokens_per_minute?: number | null;
        };
        Line: {
            amount: string;
            class: string;
            /** Format: int64 */
            quantity: number;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            rate: string;
        };
        LinkSecret: {
            /** @description The secret of the link: the part after # */
            secret: string;
        };
        LinkedIdentity: {
            /** Format: date-time */
            created_at: string;
            /** @description The e-mail address that the issuer reported when the account was linked */
            email: string;
            /** Format: uuid */
            id: string;
            /** @description URL of the issuer */
            issuer: string;
            /** Format: date-time */
            last_used: string;
        };
        ListAccessKey: {
            items: components["schemas"]["AccessKey"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListAlert: {
            items: components["schemas"]["Alert"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListAlertDestination: {
            items: components["schemas"]["AlertDestination"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListAlertRule: {
            items: components["schemas"]["AlertRule"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListAuditEntry: {
            items: components["schemas"]["AuditEntry"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListBillingAccount: {
            items: components["schemas"]["BillingAccount"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListChannel: {
            items: components["schemas"]["Channel"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListChannelCost: {
            items: components["schemas"]["ChannelCost"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListGroup: {
            items: components["schemas"]["Group"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListInvitation: {
            items: components["schemas"]["Invitation"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListJob: {
            items: components["schemas"]["Job"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListLedgerEntry: {
            items: components["schemas"]["LedgerEntry"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListLinkedIdentity: {
            items: components["schemas"]["LinkedIdentity"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListModel: {
            items: components["schemas"]["Model"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListPasskey: {
            items: components["schemas"]["Passkey"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListPrice: {
            items: components["schemas"]["Price"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListRefusedCall: {
            items: components["schemas"]["RefusedCall"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListRule: {
            items: components["schemas"]["Rule"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListSession: {
            items: components["schemas"]["Session"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListTenant: {
            items: components["schemas"]["Tenant"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListToken: {
            items: components["schemas"]["Token"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListUsageLog: {
            items: components["schemas"]["UsageLog"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListUser: {
            items: components["schemas"]["User"][];
            /** @description Pass it as after to get the following page; empty on the last page. A page can have fewer items than limit and a next: it ends at about 1 MiB */
            next: string;
        };
        ListedModel: {
            /** @description The upstream's id of the model */
            id: string;
        };
        ListedModels: {
            /** @description Ordered by id, at most 1,000 */
            items: components["schemas"]["ListedModel"][];
            /** @description Whether the upstream has more models */
            truncated: boolean;
        };
        LogClient: {
            /** @description IP address */
            address: string;
            /** @description Value of the header User-Agent, at most 256 bytes; empty for none */
            agent: string;
        };
        LogTokenCounts: {
            /**
             * Format: int64
             * @description Input tokens of audio
             */
            audio_input: number;
            /**
             * Format: int64
             * @description Output tokens of audio
             */
            audio_output: number;
            /**
             * Format: int64
             * @description Input tokens that the upstream wrote to its cache
             */
            cache_write: number;
            /**
             * Format: int64
             * @description Part of cache_write: tokens that the upstream wrote to a cache that lives for one hour
             */
            cache_write_1h: number;
            /**
             * Format: int64
             * @description Input tokens that the upstream read from its cache
             */
            cached_input: number;
            /**
             * Format: int64
             * @description Part of input: tokens of images that the upstream did not read from its cache
             */
            image_input: number;
            /**
             * Format: int64
             * @description Part of output: tokens of generated images
             */
            image_output: number;
            /**
             * Format: int64
             * @description Input tokens that are in none of the other classes of input
             */
            input: number;
            /**
             * Format: int64
             * @description Output tokens that are in none of the other classes of output
             */
            output: number;
            /**
             * Format: int64
             * @description Output tokens of reasoning
             */
            reasoning: number;
            /**
             * Format: int64
             * @description Sum of all classes
             */
            total: number;
        };
        MadeInvitation: {
            /** Format: date-time */
            created_at: string;
            email: string;
            /**
             * Format: date-time
             * @description When the link stops working
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description null for operators
             */
            group_id: string | null;
            /** Format: uuid */
            id: string;
            /** @description E-mail address of the user who sent the invitation, and the access key if a program did */
            invited_by: string;
            /** @description The link, for the caller to pass on. Only operators receive it, and other callers if mail is not configured; null otherwise. It is never shown again. It starts with / if the console's own URL is not configured */
            link: string | null;
            /** @description Whether the link is queued to be sent by mail */
            mailed: boolean;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /**
             * Format: date-time
             * @description When the current link was created
             */
            sent_at: string;
            /**
             * @description pending: the link can be used
             * @enum {string}
             */
            status: "pending" | "expired" | "accepted" | "revoked";
            /**
             * Format: uuid
             * @description The tenant of the future user; null for an invitation to become an operator
             */
            tenant_id: string | null;
        };
        MadeMember: {
            caps: components["schemas"]["Caps"];
            /** Format: date-time */
            created_at: string;
            email: string;
            /** @description Whether the address is known to belong to the person: by a mailed link, an issuer, an operator, or where mail is not configured a link that an inviter handed over */
            email_proven: boolean;
            /**
             * Format: uuid
             * @description null for operators
             */
            group_id: string | null;
            /** Format: uuid */
            id: string;
            /** @description Rate limits for all tokens of the user together */
            limits: components["schemas"]["Limits"];
            /** @description Whether an invitation to prove the address and to choose a password is queued to be sent by mail. If false, the user signs in with the first password */
            mailed: boolean;
            quota: components["schemas"]["Quota"];
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /** @enum {string} */
            status: "enabled" | "disabled";
            /**
             * Format: uuid
             * @description null for operators
             */
            tenant_id: string | null;
        };
        MemberPatch: {
            caps?: components["schemas"]["CapsPatch"];
            limits?: components["schemas"]["LimitsPatch"];
            /**
             * @description The most that the user may spend in total; null: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /** @enum {string} */
            role?: "owner" | "admin" | "member";
            /**
             * @description disabled: the user cannot sign in or use tokens
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        Modalities: {
            /** @description Empty if they are not known */
            input: ("text" | "image" | "audio" | "video" | "file")[];
            /** @description Empty if they are not known */
            output: ("text" | "image" | "audio" | "video" | "file")[];
        };
        Model: {
            /**
             * Format: int64
             * @description The most tokens of input and output together, for clients; 0: not known
             */
            context_length: number;
            /** Format: date-time */
            created_at: string;
            /** @description Whether the model may be used without a price, and then costs nothing */
            free: boolean;
            id: string;
            /** @description Rate limits for all calls of one tenant together. Each tenant has its own allowance */
            limits: components["schemas"]["Limits"];
            /**
             * Format: int64
             * @description The most tokens that one response can have
             */
            max_output: number;
            /** @description What the model reads and writes, for clients */
            modalities: components["schemas"]["Modalities"];
            owned_by: string;
            /** @description Current price in USD per 1M tokens, and per request; absent if there is none */
            price?: components["schemas"]["Rates"];
            /**
             * @description How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels
             * @enum {string}
             */
            routing: "weighted" | "cheapest";
            /** @enum {string} */
            status: "enabled" | "disabled";
        };
        ModelPatch: {
            /**
             * Format: int64
             * @description The most tokens of input and output together, for clients. 0: not known
             */
            context_length?: number;
            /** @description Whether the model may be used without a price, and then costs nothing */
            free?: boolean;
            limits?: components["schemas"]["LimitsPatch"];
            /**
             * Format: int64
             * @description The most tokens that one response can have. 0: a default
             */
            max_output?: number;
            /** @description What the model reads and writes, for clients. Both lists are replaced */
            modalities?: components["schemas"]["Modalities"];
            owned_by?: string;
            /**
             * @description How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels
             * @enum {string}
             */
            routing?: "weighted" | "cheapest";
            /** @enum {string} */
            status?: "enabled" | "disabled";
        };
        ModelSource: {
            /** @description API keys of the upstream, of which the first is used. They are not stored */
            api_keys?: string[];
            /** @description URL of the upstream. Empty: the provider's own */
            base_url?: string;
            /**
             * Format: uuid
             * @description A stored channel. The other fields change it for this request only. Its credentials are used, unless the change of another field would make updateChannel drop them
             */
            channel_id?: string;
            settings?: components["schemas"]["ChannelSettingsPatch"];
            /** @description Kind of upstream: openai, azure, anthropic or gemini. Required without channel_id */
            type?: string;
        };
        NewAccessKey: {
            /**
             * @deprecated
             * @description Instead of scopes. read: all scopes for reading that the caller's role permits. write: all of them but billing:write
             * @enum {string}
             */
            access?: "read" | "write";
            /** @description Permitted client addresses and networks, such as 203.0.113.7 or 10.0.0.0/8; absent or empty: every address */
            addresses?: string[];
            /**
             * Format: date-time
             * @description At most 400 days from now
             */
            expires_at: string;
            /**
             * @description The most that the key may grant, adjust and transfer in one day (UTC), all amounts together. Required for the scope billing:write
             * @example 12.50
             */
            grant_limit?: string;
            name: string;
            /** @description What the key may do: at least one scope, each permitted by the caller's role */
            scopes?: ("usage:read" | "tokens:read" | "tokens:write" | "members:read" | "catalog:read" | "catalog:write" | "channels:write" | "tenants:read" | "tenants:write" | "billing:write" | "audit:read")[];
        };
        NewAdjustment: {
            /**
             * @description Must not be 0. A negative amount takes quota back
             * @example 12.50
             */
            amount: string;
            /** @description Why the entry is made. The tenant can read it */
            reason: string;
            /** Format: uuid */
            tenant_id: string;
        };
        NewAlertDestination: {
            /**
             * @description slack: the format of Slack's incoming webhooks, which other programs understand, too
             * @enum {string}
             */
            channel: "mail" | "webhook" | "slack";
            /**
             * @description Language of the texts in webhooks
             * @default en
             * @enum {string}
             */
            language: "en" | "zh-Hans";
            name: string;
            /** @description For webhook and slack: an https URL with a public address. It is stored encrypted and never shown again */
            url?: string;
            /**
             * Format: uuid
             * @description For mail: the user who gets the mails, a member of the organization with a confirmed address
             */
            user_id?: string;
        };
        NewAlertRule: {
            destinations?: string[];
            /**
             * @description From credential_dead on for operators only
             * @enum {string}
             */
            kind: "quota_used" | "run_out" | "unusual_spend" | "credential_dead" | "model_unavailable" | "drift" | "spool";
            name: string;
            /**
             * @description lifetime: the quota. day, week, month: the budget
             * @default lifetime
             * @enum {string}
             */
            period: "lifetime" | "day" | "week" | "month";
            /**
             * @default enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description Whose quota: required for quota_used, run_out and unusual_spend
             * @enum {string}
             */
            subject?: "tenant" | "user" | "token";
            /**
             * Format: uuid
             * @description One tenant, user or token. Defaults to each one
             */
            subject_id?: string;
            /** @description quota_used: 1 to 100 percent. run_out: 1 to 90 days. unusual_spend: 110 to 10000 percent of the average day. spool: 1 to 1440 minutes */
            thresholds?: number[];
        };
        NewBillingAccount: {
            /** @description URL of the provider's API. Defaults to the public one */
            base_url?: string;
            /** @description Ids of the channels whose calls the account pays */
            channels?: string[];
            /** @description Billing credential: an admin key of OpenAI or Anthropic, a management key of OpenRouter. It is stored encrypted, only workers can read it, and it is never shown again */
            credential?: string;
            /** @description The API keys of the account, to compare them one by one */
            keys?: components["schemas"]["BillingKey"][];
            name: string;
            /**
             * @description Whose API states the charges. csv: people upload files
             * @enum {string}
             */
            provider: "openai" | "anthropic" | "openrouter" | "csv";
            /**
             * @default enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
        };
        NewCaps: {
            /**
             * @description Budget per day, from midnight UTC; absent: unlimited
             * @example 12.50
             */
            day?: string | null;
            /**
             * @description Budget per month, from midnight UTC on the first; absent: unlimited
             * @example 12.50
             */
            month?: string | null;
            /**
             * @description Budget per week, from Monday midnight UTC; absent: unlimited
             * @example 12.50
             */
            week?: string | null;
        };
        NewCatalogueImport: {
            /** @description false: only report what would be created and changed, and what is wrong */
            apply?: boolean;
            /** @description The manifest: YAML that declares groups, models, channels and tenants. It is stored encrypted until the job ends, and never shown */
            catalogue: string;
        };
        NewChannel: {
            /** @description API keys of the upstream. They are stored encrypted and never shown again */
            api_keys?: string[];
            /** @description URL of the upstream. Required for all types except echo */
            base_url?: string;
            /** @description Dialects that the upstream speaks. Required, unless the body has endpoints */
            dialects?: ("chat" | "responses" | "messages" | "gemini")[];
            /**
             * @deprecated
             * @description The former name of dialects. A body with both has the same value in both
             */
            endpoints?: ("chat" | "responses" | "messages" | "gemini")[];
            /** @description Maps public model ids to the ids at the upstream */
            models: {
                [key: string]: string;
            };
            name: string;
            /**
             * @description What happens when a client disconnects during a response. cancel: cancel the upstream call. drain: read the rest of the response, to learn its usage
             * @default cancel
             * @enum {string}
             */
            on_disconnect: "cancel" | "drain";
            /**
             * Format: int64
             * @description Channels with a lower number are tried first
             */
            priority?: number;
            settings?: components["schemas"]["ChannelSettingsPatch"];
            /**
             * @default enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** @description Words of the operator, for lists of channels, see Channel */
            tags?: string[];
            /** @description Kind of upstream: openai, azure, anthropic, gemini or echo */
            type: string;
            /**
             * @description What happens to calls that could cause a charge without a price, see Channel
             * @default refuse
             * @enum {string}
             */
            unpriced: "refuse" | "allow";
            /**
             * Format: int64
             * @description Share of the calls among channels with the same priority
             * @default 1
             */
            weight: number;
        };
        NewChannelCost: {
            /**
             * Format: date-time
             * @description When the costs take effect. Defaults to now; must not be in the past
             */
            effective_from?: string;
            /**
             * @description What is paid of the list prices: 0.9 stands for a discount of 10 %. Defaults to 1
             * @example 0.85
             */
            factor?: string;
            /** @description List prices of the provider in USD per 1M tokens, and per request. At least one; a rate of 0 costs nothing */
            rates: components["schemas"]["Rates"];
            /** @description Id of the model at the upstream: one of the values of the channel's models */
            upstream_model: string;
        };
        NewFile: {
            /** @description The JSON text of the file. docs/price-catalog.md describes the format */
            file: string;
        };
        NewGrant: {
            /**
             * @description Must be greater than 0. Use createAdjustment to take quota back
             * @example 12.50
             */
            amount: string;
            /** @description Why the entry is made. The tenant can read it */
            reason: string;
            /** Format: uuid */
            tenant_id: string;
        };
        NewGroup: {
            limits?: components["schemas"]["NewLimits"];
            /** @description Models that the users may use: ids, prefixes with a trailing *, or * for all models */
            models: string[];
            /**
             * @description Multiplier of the group's first price rule; absent: no rule
             * @example 0.85
             */
            multiplier?: string;
            name: string;
        };
        NewInvitation: {
            email: string;
            /**
             * Format: uuid
             * @description The group of the future user. Operators must set it, unless they invite an operator; for other callers it is their own group
             */
            group_id?: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /**
             * Format: uuid
             * @description The tenant of the future user. Operators must set it, or leave it out to invite an operator; for other callers it is their own tenant
             */
            tenant_id?: string;
            /**
             * Format: int64
             * @description Days until the link stops working
             * @default 7
             */
            valid_days: number;
        };
        NewLimits: {
            /**
             * Format: int64
             * @description Concurrent requests; 0 or absent: unlimited
             */
            concurrency?: number;
            /**
             * Format: int64
             * @description Requests per minute; 0 or absent: unlimited
             */
            requests_per_minute?: number;
            /**
             * Format: int64
             * @description Input and output tokens per minute; 0 or absent: unlimited
             */
            tokens_per_minute?: number;
        };
        NewMember: {
            caps?: components["schemas"]["NewCaps"];
            email: string;
            limits?: components["schemas"]["NewLimits"];
            /** @description First password, for the caller to hand over. Required if mail is not configured. Otherwise it is not used: the user chooses a password with the mailed link */
            password?: string;
            /**
             * @description The most that the user may spend in total; absent: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /**
             * @default member
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
        };
        NewModel: {
            /**
             * Format: int64
             * @description The most tokens of input and output together, for clients. Absent or 0: not known
             */
            context_length?: number;
            /** @description Whether the model may be used without a price, and then costs nothing */
            free?: boolean;
            id: string;
            limits?: components["schemas"]["NewLimits"];
            /**
             * Format: int64
             * @description The most tokens that one response can have. Absent or 0: a default
             */
            max_output?: number;
            /** @description What the model reads and writes, for clients */
            modalities?: components["schemas"]["Modalities"];
            owned_by: string;
            /** @description First price in USD per 1M tokens, and per request. Required unless free is true */
            price?: components["schemas"]["Rates"];
            /**
             * @description How calls choose among channels of equal priority. weighted: by weight and load. cheapest: by what the upstreams charge, see the costs of channels
             * @default weighted
             * @enum {string}
             */
            routing: "weighted" | "cheapest";
            /**
             * @default enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
        };
        NewModels: {
            /** @description The models to create, each once */
            models: components["schemas"]["SelectedOffer"][];
            /** @description Checksum of the file whose entries were listed */
            sha256: string;
        };
        NewPasskey: {
            /** @description The browser's response, as PublicKeyCredential.toJSON() returns it */
            credential: unknown;
            name: string;
        };
        NewPrice: {
            /**
             * Format: date-time
             * @description When the price takes effect. Defaults to now; must not be in the past
             */
            effective_from?: string;
            model: string;
            /** @description Price in USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
        };
        NewPriceSimulation: {
            /**
             * Format: date-time
             * @description Start of the calls to price, inclusive. Defaults to 30 days before to; at most 92 days before it
             */
            from?: string;
            /** @description Proposed price of a model */
            price?: components["schemas"]["ProposedPrice"];
            /** @description Proposed price rule of a group */
            rule?: components["schemas"]["ProposedRule"];
            /**
             * Format: date-time
             * @description End, exclusive. Defaults to now; a later time is replaced with now
             */
            to?: string;
        };
        NewPrices: {
            /** @description The new prices, one for each model */
            changes: components["schemas"]["PriceChange"][];
            /**
             * Format: date-time
             * @description When all of them take effect. Defaults to now; must not be in the past
             */
            effective_from?: string;
        };
        NewRule: {
            /**
             * Format: date-time
             * @description When the rule takes effect. Defaults to now; must not be in the past
             */
            effective_from?: string;
            /**
             * @description Fixed price per request, instead of the price of the model
             * @example 12.50
             */
            fixed?: string;
            /** Format: uuid */
            group_id: string;
            /** @description Id of the model. Absent: all models that have no rule of their own */
            model?: string;
            /**
             * @description Factor on the price of the model. Defaults to 1
             * @example 0.85
             */
            multiplier?: string;
        };
        NewTenant: {
            caps?: components["schemas"]["NewCaps"];
            /**
             * @description What happens to a call with a field that the API of the channel does not have, see Tenant; absent: report
             * @enum {string}
             */
            ignored_fields?: "report" | "refuse";
            /** @description Whether answers show the quota, see Tenant */
            include_quota?: boolean;
            /** @description Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-' */
            metadata_tags?: string[];
            name: string;
            /**
             * @description Whether the relay may limit the output of calls, see Tenant
             * @default auto
             * @enum {string}
             */
            output_cap: "auto" | "off";
            /**
             * @description Quota to grant at once; absent: none
             * @example 12.50
             */
            quota?: string;
            /**
             * @description What happens to a stream when the quota runs out, see Tenant
             * @default hard
             * @enum {string}
             */
            quota_mode: "hard" | "soft";
            /** @description Unique short name: lower case letters, digits and hyphens */
            slug: string;
        };
        NewToken: {
            /** @description Permitted client addresses: IP addresses or networks in CIDR form. Empty or absent: every address */
            addresses?: string[];
            caps?: components["schemas"]["NewCaps"];
            /**
             * Format: date-time
             * @description When the token expires; absent: never
             */
            expires_at?: string | null;
            limits?: components["schemas"]["NewLimits"];
            /** @description Permitted models: ids, or prefixes with a trailing *. Empty or absent: all models of the user's group */
            models?: string[];
            name: string;
            /**
             * @description The most that the token may spend in total; absent: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /**
             * Format: uuid
             * @description The owner of the token. Defaults to the caller; admins and owners may name another user. Required for operators
             */
            user_id?: string;
        };
        NewTransfer: {
            /**
             * @description Must be greater than 0, and not more than the giving tenant has left and not leased to relays
             * @example 12.50
             */
            amount: string;
            /** Format: uuid */
            from_tenant_id: string;
            /** @description Why the entry is made. The tenant can read it */
            reason: string;
            /** Format: uuid */
            to_tenant_id: string;
        };
        NewUser: {
            caps?: components["schemas"]["NewCaps"];
            email: string;
            /**
             * Format: uuid
             * @description The group of the user. Required, except for operators, who have none
             */
            group_id?: string;
            limits?: components["schemas"]["NewLimits"];
            /** @description The new password, with at least 8 characters */
            password: string;
            /**
             * @description The most that the user may spend in total; absent: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /**
             * Format: uuid
             * @description The tenant of the user. Required, except for operators, who have none
             */
            tenant_id?: string;
        };
        OIDCMethod: {
            /** @description Name of the issuer, for the button */
            name: string;
            /** @description Path to send the browser to. With ?return=PATH the browser comes back to that page. If the sign-in fails, it comes back to /sign-in?error=REASON */
            path: string;
        };
        OpenInvitation: {
            email: string;
            /** Format: date-time */
            expires_at: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /** @description Name of the tenant; empty for an invitation to become an operator */
            tenant: string;
        };
        OpenReset: {
            /** @description E-mail address of the user whose password the link sets */
            email: string;
        };
        OwnQuota: {
            /** @description Quota of the user */
            cap: components["schemas"]["Quota"];
            /** @description When the user runs out of quota; absent for operators */
            cap_forecast?: components["schemas"]["Forecast"];
            /** @description Limits of the tenant, of the user and, if token_id is set, of the token. For each, the quota comes first, then the budgets */
            limits: components["schemas"]["Limit"][];
            /** @description Quota of the tenant; absent for operators */
            wallet?: components["schemas"]["Quota"];
            /** @description When the tenant runs out of quota; absent for operators */
            wallet_forecast?: components["schemas"]["Forecast"];
        };
        OwnTenant: {
            /** Format: date-time */
            created_at: string;
            /** @description Name of the caller's group */
            group: string;
            /** Format: uuid */
            id: string;
            /**
             * @description What happens to a call with a field that only restricts the answer or gives a hint, if the API of the channel does not have the field, and with an optional tool of the provider, such as web_search, that no channel has. report: the relay ignores it and lists it in the header x-tollgate-ignored-fields and in the usage log. refuse: the call is refused
             * @enum {string}
             */
            ignored_fields: "report" | "refuse";
            /** @description Whether the usage object of each answer has the member quota, the amount deducted in USD. A call with the header x-tollgate-include-quota decides for itself. Streams then have a usage object even if the request does not ask for one */
            include_quota: boolean;
            /** @description Keys of a request's metadata that are tags of the request */
            metadata_tags: string[];
            name: string;
            /**
             * @description What happens to a call without an output cap of its own, and to a stream with a large one, whose longest answer costs more than the quota that is left. auto: the relay sends the upstream an output cap that the quota can pay, and answers with the header x-tollgate-output-cap. off: the call is refused, and a stream ends when the quota does
             * @enum {string}
             */
            output_cap: "auto" | "off";
            /**
             * @description What happens to a stream when the quota runs out. hard: the stream ends. soft: the stream continues, and only the remaining quota is deducted
             * @enum {string}
             */
            quota_mode: "hard" | "soft";
            /** @description Whether the users of the tenant need a second factor. Users who sign in with a password and have none can only set one up */
            require_second_factor: boolean;
            slug: string;
        };
        OwnTenantPatch: {
            /**
             * @description What happens to a call with a field that the API of the channel does not have, see OwnTenant
             * @enum {string}
             */
            ignored_fields?: "report" | "refuse";
            /** @description Whether answers show the quota, see OwnTenant */
            include_quota?: boolean;
            /** @description Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-' */
            metadata_tags?: string[];
            name?: string;
            /** @description Whether the users of the tenant need a second factor, see OwnTenant */
            require_second_factor?: boolean;
        };
        Passkey: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description null if it was never used
             */
            last_used: string | null;
            name: string;
        };
        PasskeyAnswer: {
            /** @description The browser's response, as PublicKeyCredential.toJSON() returns it */
            credential: unknown;
        };
        PasskeyOptions: {
            /** @description Options for the browser: pass them to PublicKeyCredential.parseCreationOptionsFromJSON() or parseRequestOptionsFromJSON() */
            public_key: unknown;
        };
        PasskeyPatch: {
            name: string;
        };
        PasswordChange: {
            /** @description The new password, with at least 8 characters */
            new_password: string;
            old_password: string;
        };
        PasswordProof: {
            /** @description The current password of the user */
            password: string;
        };
        PasswordReset: {
            /**
             * Format: date-time
             * @description When the link stops working
             */
            expires_at: string;
            /** @description The link, for the caller to pass on. Only operators receive it, and other callers if mail is not configured; null otherwise. It is never shown again. It starts with / if the console's own URL is not configured */
            link: string | null;
            /** @description Whether the link is queued to be sent by mail */
            mailed: boolean;
        };
        PendingChallenge: {
            /** @description The challenge that createSession returned */
            challenge: string;
        };
        Platform: {
            /** @description Whether mail is configured: links are then mailed, and otherwise shown to the user who creates them */
            mail: boolean;
            /** @description Base URL of the relay; clients add /v1/... to it. Empty if it is not configured (TOLLGATE_RELAY_URL): the console then has no playground */
            relay_url: string;
            /** @description Version of the console */
            version: string;
        };
        PlaygroundAnswer: {
            [key: string]: unknown;
        };
        PlaygroundCall: {
            /** @description Id of the model */
            model: string;
            /** @description Whether to return the response as a stream of server-sent events */
            stream?: boolean;
        } & {
            [key: string]: unknown;
        };
        PreviewToken: {
            /** @description Permitted models of the token: ids, or prefixes with a trailing *. Empty or absent: all models of the user's group */
            models?: string[];
            /**
             * Format: uuid
             * @description The owner of the token. Defaults to the caller; admins and owners may name another user. Required for operators
             */
            user_id?: string;
        };
        Price: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the price takes effect
             */
            effective_from: string;
            /** Format: uuid */
            id: string;
            model: string;
            /** @description Price in USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
            /**
             * @description scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect
             * @enum {string}
             */
            state: "scheduled" | "current" | "past" | "withdrawn";
            /**
             * Format: date-time
             * @description null unless withdrawn
             */
            withdrawn_at: string | null;
        };
        PriceChange: {
            /** @description Whether the operator accepts that the price is below a channel's costs. createPrices refuses such a price otherwise */
            confirm_loss?: boolean;
            model: string;
            /** @description Price in USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
            /**
             * Format: uuid
             * @description The current version that the new price replaces; absent if the model has none. createPrices refuses with 409 if it is another version
             */
            price_id?: string;
        };
        PriceMargins: {
            /** @description The enabled channels that serve the model */
            channels: components["schemas"]["ChannelMargin"][];
            /** @description The current price; absent if the model has none */
            current?: components["schemas"]["Rates"];
            /** @description Whether the new price is below the costs of an enabled channel for at least one class */
            loss: boolean;
            model: string;
            /**
             * Format: uuid
             * @description The current version of the price; absent if the model has none
             */
            price_id?: string;
        };
        PricePreview: {
            /** @description In the order of the request */
            items: components["schemas"]["PriceMargins"][];
        };
        Probe: {
            /** @description Error code; empty if the credential works */
            error: string;
            /** Format: int64 */
            latency_ms: number;
            /** Format: date-time */
            probed_at: string;
            /**
             * Format: int64
             * @description HTTP status of the upstream; 0 if it did not respond
             */
            status: number;
        };
        ProposedPrice: {
            model: string;
            /** @description USD per 1M tokens, and per request */
            price: components["schemas"]["Rates"];
        };
        ProposedRule: {
            /**
             * @description Price per request that replaces the whole formula
             * @example 12.50
             */
            fixed?: string;
            /** Format: uuid */
            group_id: string;
            /** @description If absent, the rule applies to all models without a rule of their own */
            model?: string;
            /**
             * @description Factor for the price of each request; 1 if absent
             * @example 0.85
             */
            multiplier?: string;
        };
        Queue: {
            /**
             * Format: int64
             * @description Number of tasks that are running
             */
            active: number;
            /**
             * Format: int64
             * @description Number of failed tasks that will not be retried
             */
            archived: number;
            /**
             * Format: int64
             * @description Number of tasks that failed today (UTC)
             */
            failed_today: number;
            /**
             * Format: int64
             * @description Age of the oldest task that is ready to run
             */
            latency_ms: number;
            name: string;
            paused: boolean;
            /**
             * Format: int64
             * @description Number of tasks that are ready to run
             */
            pending: number;
            /**
             * Format: int64
             * @description Number of tasks that ran today (UTC), including failed ones
             */
            processed_today: number;
            /**
             * Format: int64
             * @description Number of failed tasks that will be retried
             */
            retry: number;
            /**
             * Format: int64
             * @description Number of tasks that run at a later time
             */
            scheduled: number;
        };
        Queues: {
            /** @description maxmemory-policy of Redis if it permits Redis to delete tasks and counts of limits when its memory is full; empty if it does not, or if it is not known */
            eviction_policy: string;
            queues: components["schemas"]["Queue"][];
            /**
             * @description unknown: the console is not configured with a Redis. failing: Redis does not respond
             * @enum {string}
             */
            status: "ok" | "failing" | "unknown";
            /** @description Processes that run tasks and reported within the last seconds */
            workers: components["schemas"]["Worker"][];
        };
        Quota: {
            /**
             * @description The most that may be spent; null: unlimited
             * @example 12.50
             */
            granted: string | null;
            /**
             * @description Reserved by relays for current and coming requests. It is part of left
             * @example 12.50
             */
            leased: string;
            /**
             * @description granted - used; null: unlimited
             * @example 12.50
             */
            left: string | null;
            /**
             * @description What finished requests have cost so far
             * @example 12.50
             */
            used: string;
        };
        RateChange: {
            /** @description Rate of the entry in USD; empty if it does not have the rate */
            new: string;
            /** @description Current rate in USD; empty if the price does not have the rate */
            old: string;
            /**
             * Format: double
             * @description Rise in per cent, negative for a fall, rounded to a tenth; 0 if old or new is missing or old is zero
             */
            percent: number;
            /** @description Such as input, tiers[200000].output or tools.web_search */
            rate: string;
            /**
             * @description Why an operator must confirm the change; empty if that is not needed
             * @enum {string}
             */
            warning: "" | "large_rise" | "zero" | "new_rate" | "removed";
        };
        Rates: {
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cache_write?: string;
            /**
             * @description Cache writes that live for one hour; without a price they cost as much as cache_write
             * @example 12.50
             */
            cache_write_1h?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cached_input?: string;
            /**
             * @description Images that were not read from a cache; without a price they cost as much as input
             * @example 12.50
             */
            image_input?: string;
            /**
             * @description Generated images; without a price they cost as much as output
             * @example 12.50
             */
            image_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            reasoning?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            request?: string;
            /** @description Rates for calls whose answer names a service tier, such as priority or flex, by its name. Calls in a tier that is not here have the ordinary rates */
            service_tiers?: {
                [key: string]: components["schemas"]["ServiceTier"];
            };
            /** @description Rates for calls with a long input, in ascending order of above_input */
            tiers?: components["schemas"]["Tier"][];
            /** @description Prices of tools that the provider runs. They are the same in all tiers */
            tools?: components["schemas"]["Tools"];
        };
        Receipt: {
            /**
             * Format: int64
             * @description The tier of the price that applied: that for more input tokens than this; absent if none did
             */
            above_input?: number;
            lines: components["schemas"]["Line"][];
            /**
             * @description Factor as a decimal string
             * @example 0.85
             */
            multiplier: string;
            /** @description The service tier of the price that applied; absent if the call had the ordinary prices */
            service_tier?: string;
            subtotal: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            total: string;
        };
        RecentSpeed: {
            /**
             * Format: double
             * @description Share of the calls that failed, from 0 to 1
             */
            error_rate: number;
            /**
             * Format: int64
             * @description Median time to the first token of streams, in milliseconds, within 5 %; null without streams
             */
            first_token_ms: number | null;
            /**
             * Format: double
             * @description Output tokens of streams per second, after the first token; with reasoning, over the whole call. null if nothing was measured
             */
            tokens_per_second: number | null;
        };
        Reconciliation: {
            /**
             * Format: date-time
             * @description End of the last run that compared everything that was due; null before the first
             */
            checked_at: string | null;
            /**
             * Format: int64
             * @description Number of drifts; 0 if everything agrees
             */
            drift_count: number;
            /** @description The newest drifts, up to 100 */
            drifts: components["schemas"]["Drift"][];
            /**
             * Format: int64
             * @description Number of hours of usage that the last run compared
             */
            hours_checked: number;
            /**
             * Format: int64
             * @description Number of hours that are not compared yet, including the current one
             */
            hours_open: number;
        };
        RecoveryCodes: {
            /** @description Each code works once, instead of a code of the authenticator app. They are shown only in this response */
            recovery_codes: string[];
        };
        RefusalReason: {
            /** Format: int64 */
            calls: number;
            /** @description The reason, such as rate_limit_exceeded */
            code: string;
        };
        RefusedCall: {
            /** @description From where and with which program the request came; absent if the operator has turned that off */
            client?: components["schemas"]["LogClient"];
            /** @description The reason, such as rate_limit_exceeded */
            code: string;
            /**
             * Format: date-time
             * @description When the request arrived
             */
            created_at: string;
            /** @description The endpoint that the client called: chat, responses, messages, embeddings or count_tokens */
            endpoint: string;
            /**
             * Format: uuid
             * @description Id of the request, which the client also received in the header x-request-id
             */
            id: string;
            /** @description Text of the error that the client received, at most 500 bytes */
            message: string;
            /** @description The model that the client asked for; empty if the request was refused before it was read */
            model: string;
            /** @description Path of the field at fault; empty for none */
            param: string;
            /**
             * Format: int64
             * @description HTTP status that the client received
             */
            status: number;
            /** @description Name of the tenant. Only operators see it */
            tenant?: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            token_id: string;
            /** @description Name of the token, even if the token is revoked */
            token_name: string;
            user_email: string;
            /** Format: uuid */
            user_id: string;
        };
        RefusedCallTotals: {
            /**
             * Format: int64
             * @description Number of all refused calls, also of those that are not listed
             */
            calls: number;
            /** @description The most frequent reason first */
            reasons: components["schemas"]["RefusalReason"][];
        };
        Relay: {
            body_memory: components["schemas"]["BodyMemory"];
            /** Format: uuid */
            id: string;
            /**
             * Format: int64
             * @description Number of requests in flight
             */
            in_flight: number;
            /**
             * @description Sum of its leased quota
             * @example 12.50
             */
            leased: string;
            /**
             * Format: int64
             * @description Number of accounts of which it has leased quota
             */
            leases: number;
            /**
             * Format: date-time
             * @description Time of its last report. Relays report every 10 seconds
             */
            seen_at: string;
            spool: components["schemas"]["Spool"];
            /** Format: date-time */
            started_at: string | null;
            /**
             * @description State that the relay reported; empty if it reported none
             * @enum {string}
             */
            state: "" | "serving" | "draining" | "stopped";
            /** @description Version of the relay */
            version: string;
        };
        RelayHealth: {
            /** @description Error code of the last failure */
            error: string;
            /**
             * Format: int64
             * @description Number of consecutive failures
             */
            failures: number;
            /** @description Fingerprint of the credential; empty if the fault concerns all credentials */
            fingerprint: string;
            /** @description Mask of the credential */
            mask: string;
            /** @description Id of the model at the upstream; empty if the relay cannot reach the channel */
            model: string;
            /** Format: uuid */
            relay_id: string;
            /**
             * Format: date-time
             * @description When the relay reported the fault
             */
            said_at: string;
            /**
             * @description cooling: used only after all other channels. trial: one call at a time tests whether it works again
             * @enum {string}
             */
            state: "cooling" | "trial";
            /** @description Ids of the only tenants whose calls the fault concerns, at most 100; empty if it concerns all tenants. A list of channels has the first 20 */
            tenants: string[];
            /**
             * Format: int64
             * @description Number of these tenants
             */
            tenants_count: number;
            /**
             * Format: date-time
             * @description When the state changes from cooling to trial, or when the relay probes the channel again
             */
            until: string;
        };
        RequiredClaim: {
            /** @description Name of the claim, such as hd, tid, groups or roles */
            claim: string;
            /** @description The claim must have one of these values, or contain one if it is an array. They are compared exactly */
            values: string[];
        };
        ResetRequest: {
            email: string;
        };
        RoutedTo: {
            /** @description Name of the channel */
            channel: string;
            /** Format: uuid */
            channel_id: string;
            credentials: components["schemas"]["CredentialHealth"][];
            /** @description Whether the channel speaks the dialect of the endpoint, so that nothing is translated */
            native: boolean;
            /**
             * Format: int64
             * @description 1 is tried first; 0 means not at all. Channels with the same priority are drawn at random, by weight and load: this is the most likely order
             */
            order: number;
            /** Format: int64 */
            priority: number;
            /**
             * @description Why the channel is tried or not. kept: it is healthy. translated: it speaks another dialect. cheapest: its upstream charges the least of its priority. trial, cooling: it failed recently. no_credential: all credentials are disabled. not_ready: its type is unknown or a credential cannot be decrypted. lacks_endpoint: it can neither speak the dialect of the endpoint nor be translated from it. Other lacks_...: it does not support a feature of the call. refuses_unpriced: the call could cause a charge without a price
             * @enum {string}
             */
            reason: "kept" | "translated" | "cheapest" | "trial" | "cooling" | "no_credential" | "not_ready" | "disabled" | "model_not_served" | "lacks_stream" | "lacks_tools" | "lacks_vision" | "lacks_structured_output" | "lacks_endpoint" | "refuses_unpriced";
            /** @description Faults that relays report for the model on this channel */
            relays: components["schemas"]["RelayHealth"][];
            /**
             * @description What the upstream charges for the estimated call; absent if the channel has no costs for the model
             * @example 12.50
             */
            supplier_cost?: string;
            /** Format: int64 */
            weight: number;
        };
        RoutingAnswer: {
            /** @description All channels. Those that would be tried come first, in that order */
            channels: components["schemas"]["RoutedTo"][];
            /** @description The error that the caller gets if no channel can serve the call; absent otherwise */
            refusal?: components["schemas"]["RoutingRefuse"];
            /**
             * @description The model's setting: how calls choose among channels of equal priority
             * @enum {string}
             */
            routing: "weighted" | "cheapest";
            /**
             * @description visible, or why the caller may not use the model
             * @enum {string}
             */
            verdict: "visible" | "token_not_usable" | "unknown_model" | "not_in_token" | "group_disabled" | "not_in_group" | "model_disabled" | "not_served" | "not_priced";
            /** @description Whether the caller may use the model */
            visible: boolean;
        };
        RoutingQuestion: {
            /**
             * @default chat
             * @enum {string}
             */
            endpoint: "chat" | "responses" | "messages" | "embeddings";
            /**
             * Format: uuid
             * @description The group of the user that calls
             */
            group_id?: string;
            /**
             * Format: int64
             * @description Estimated input, for models that are routed to the cheapest channel
             * @default 1000
             */
            input_tokens: number;
            /** @description Public id of the model */
            model: string;
            /**
             * Format: int64
             * @description Estimated output, for models that are routed to the cheapest channel
             * @default 1000
             */
            output_tokens: number;
            /** @description Whether the call asks for a stream */
            stream?: boolean;
            /** @description Whether the call asks for JSON of a schema */
            structured_output?: boolean;
            /**
             * Format: uuid
             * @description The token of the caller. Send exactly one of token_id, user_id and group_id
             */
            token_id?: string;
            /** @description Whether the call has tools */
            tools?: boolean;
            /** @description Whether the call could cause a charge without a price, such as a service tier or a tool that the provider runs */
            unpriced?: boolean;
            /**
             * Format: uuid
             * @description The user that calls, with any token
             */
            user_id?: string;
            /** @description Whether the call has images */
            vision?: boolean;
        };
        RoutingRefuse: {
            /** @description Error code */
            code: string;
            /** @description The field of the request that no channel can serve; empty if there is none */
            param: string;
            /**
             * Format: int64
             * @description HTTP status
             */
            status: number;
        };
        Rule: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the rule takes effect
             */
            effective_from: string;
            /**
             * @description Fixed price per request, instead of the price of the model; null if there is none
             * @example 12.50
             */
            fixed: string | null;
            /** Format: uuid */
            group_id: string;
            /** Format: uuid */
            id: string;
            /** @description Id of the model; empty: all models that have no rule of their own */
            model: string;
            /**
             * @description Factor on the price of the model
             * @example 0.85
             */
            multiplier: string;
            /**
             * @description scheduled: takes effect later. past: replaced by a newer version. withdrawn: never takes effect
             * @enum {string}
             */
            state: "scheduled" | "current" | "past" | "withdrawn";
            /**
             * Format: date-time
             * @description null unless withdrawn
             */
            withdrawn_at: string | null;
        };
        SecondFactor: {
            /** @description Pass it to createSecondFactor together with a code or a passkey */
            challenge: string;
            /**
             * Format: date-time
             * @description After this time the sign-in must start again with createSession
             */
            expires_at: string;
            /** @description The second factors that the user can use */
            methods: ("totp" | "recovery_code" | "passkey")[];
        };
        SecondFactorAnswer: {
            /** @description The challenge that createSession returned */
            challenge: string;
            /** @description The six digits that the authenticator app shows, or a recovery code */
            code?: string;
            /** @description Instead of a code: the browser's response to the options of askPasskey, as PublicKeyCredential.toJSON() returns it */
            passkey?: unknown;
        };
        SecretAndPassword: {
            /** @description The new password, with at least 8 characters */
            password: string;
            /** @description The secret of the link: the part after # */
            secret: string;
        };
        Selected: {
            /** @description The warnings that the operator has confirmed for this model */
            confirm?: ("large_rise" | "zero" | "new_rate" | "removed" | "unverified")[];
            /** @description Id of the entry */
            entry: string;
            /** @description Public id of the model */
            model: string;
            /**
             * Format: uuid
             * @description The version of the price with which the entry was compared; null if the model had none
             */
            price_id: string | null;
        };
        SelectedOffer: {
            /** @description What the operator has confirmed for this model */
            confirm?: ("zero" | "unverified")[];
            /** @description Id of the entry */
            entry: string;
            /** @description Public id of the model. Absent: the provider's id */
            model?: string;
        };
        ServiceTier: {
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cache_write?: string;
            /**
             * @description Cache writes that live for one hour; without a price they cost as much as cache_write
             * @example 12.50
             */
            cache_write_1h?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cached_input?: string;
            /**
             * @description Images that were not read from a cache; without a price they cost as much as input
             * @example 12.50
             */
            image_input?: string;
            /**
             * @description Generated images; without a price they cost as much as output
             * @example 12.50
             */
            image_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            input?: string;
            /**
             * @description Multiplies all rates of tokens, also for long inputs. It excludes rates and tiers
             * @example 0.85
             */
            multiplier?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            reasoning?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            request?: string;
            /** @description Rates for calls with a long input, instead of the tiers of the price */
            tiers?: components["schemas"]["Tier"][];
        };
        Session: {
            /** @description IP address of the client that signed in; empty if unknown */
            address: string;
            /** Format: date-time */
            created_at: string;
            /** @description Whether this request was made with the session */
            current: boolean;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When the session was last used, accurate to a minute
             */
            last_seen: string;
            /** @description How the user signed in: password, invitation, passkey, oidc or tenant_issuer */
            means: string;
            /** @description User-Agent header of the client that signed in; empty if it sent none */
            user_agent: string;
        };
        Share: {
            /**
             * @description What the calls would have cost under the change
             * @example 12.50
             */
            after: string;
            /**
             * @description What the calls cost
             * @example 12.50
             */
            before: string;
            /** Format: int64 */
            calls: number;
            /**
             * @description after minus before
             * @example 12.50
             */
            difference: string;
            id: string;
            name: string;
        };
        SignIn: {
            email: string;
            password: string;
        };
        SignInMethods: {
            /** @description Sign-in by OpenID Connect; absent if no issuer is configured */
            oidc?: components["schemas"]["OIDCMethod"];
            passkeys: boolean;
            password: boolean;
            /** @description Whether a tenant has an issuer of its own. Send the browser to /api/session/oidc?domain=DOMAIN with the domain of the e-mail address, or ?tenant=SLUG */
            tenant_issuers: boolean;
        };
        SignedIn: {
            /**
             * Format: date-time
             * @description When the session expires
             */
            expires_at?: string;
            /** @description Whether the user must set up a second factor first, see Identity */
            must_enrol?: boolean;
            /** @description Present if the sign-in still needs a second factor: pass its challenge to createSecondFactor. All other fields are absent then */
            second_factor?: components["schemas"]["SecondFactor"];
            /** @description Absent for operators */
            tenant?: components["schemas"]["IdentityTenant"];
            user?: components["schemas"]["IdentityUser"];
        };
        SimulationParameters: {
            /** Format: date-time */
            from: string;
            price?: components["schemas"]["ProposedPrice"];
            rule?: components["schemas"]["ProposedRule"];
            /** Format: date-time */
            to: string;
        };
        SimulationResult: {
            /**
             * Format: int64
             * @description Number of calls whose price the change would have affected
             */
            affected: number;
            /**
             * @description What the calls would have cost under the change
             * @example 12.50
             */
            after: string;
            /**
             * @description What the calls cost
             * @example 12.50
             */
            before: string;
            /** Format: int64 */
            calls: number;
            /**
             * @description after minus before
             * @example 12.50
             */
            difference: string;
            groups: components["schemas"]["Breakdown"];
            models: components["schemas"]["Breakdown"];
            tenants: components["schemas"]["Breakdown"];
            /**
             * Format: int64
             * @description Number of calls that could not be priced under the change; no sum includes them
             */
            unpriced: number;
        };
        Spool: {
            /**
             * Format: int64
             * @description Size of the spool on disk
             */
            bytes: number;
            /**
             * Format: int64
             * @description Number of usage events; null if there are more than 16,000
             */
            events: number | null;
            /**
             * Format: date-time
             * @description When the call of the oldest event ended; null if there is none, or if it is only on disk and not in memory
             */
            oldest_at: string | null;
        };
        Statement: {
            /**
             * @description opening + granted - used: what was left when the month ended, or what is left now
             * @example 12.50
             */
            closing: string;
            /**
             * Format: date-time
             * @description Start of the month, inclusive
             */
            from: string;
            /**
             * @description Sum of the ledger entries; negative if more was taken back than granted
             * @example 12.50
             */
            granted: string;
            /** @description Oldest first. The usage of a day follows the entries of the day. Days without usage are left out */
            lines: components["schemas"]["StatementLine"][];
            /**
             * @description What was left when the month began
             * @example 12.50
             */
            opening: string;
            /**
             * Format: date-time
             * @description End of the month, exclusive
             */
            to: string;
            /**
             * @description What the requests of the month cost
             * @example 12.50
             */
            used: string;
        };
        StatementLine: {
            /**
             * @description Negative for usage, and if quota is taken back
             * @example 12.50
             */
            amount: string;
            /**
             * Format: date-time
             * @description Time of the entry, or start of the day
             */
            at: string;
            /**
             * @description What was left after the line
             * @example 12.50
             */
            balance: string;
            /**
             * Format: uuid
             * @description Id of the ledger entry; null for usage
             */
            entry_id: string | null;
            /** @enum {string} */
            kind: "grant" | "adjustment" | "transfer" | "usage";
            /** @description Reason of the entry; empty for usage */
            reason: string;
        };
        Storage: {
            /** Format: int64 */
            bytes: number;
            /**
             * Format: int64
             * @description Number of partitions of the usage logs; 0 if they are not partitioned
             */
            partitions: number;
        };
        SupplierComparison: {
            /** Format: uuid */
            account_id: string;
            /**
             * @description What the provider charged; null if it states nothing
             * @example 12.50
             */
            amount: string | null;
            /** Format: date-time */
            compared_at: string;
            /**
             * Format: date
             * @description UTC day
             */
            day: string;
            /**
             * @description amount less supplier_cost; 0 while the day is pending
             * @example 12.50
             */
            difference: string;
            /**
             * Format: date-time
             * @description When the provider last reported the day; null: never
             */
            fetched_at: string | null;
            /** @description The largest difference first, at most 1,000 */
            models: components["schemas"]["SupplierModel"][];
            /**
             * @description Likely reason of the difference; empty if nothing differs
             * @enum {string}
             */
            reason: "" | "no_rates" | "no_model" | "other_use" | "missing_calls" | "not_charged" | "estimated" | "unpriced_class" | "rates_differ" | "unknown";
            /**
             * Format: int64
             * @description Number of calls in our usage logs
             */
            requests: number;
            /**
             * @description matches: the amounts differ by at most one cent or half a percent. pending: the provider has not reported the day yet
             * @enum {string}
             */
            status: "matches" | "differs" | "pending";
            /**
             * @description Supplier cost of our usage logs, as far as it is known
             * @example 12.50
             */
            supplier_cost: string;
            /**
             * Format: int64
             * @description Of these, the number of calls without a supplier cost
             */
            unpriced_calls: number;
        };
        SupplierDay: {
            /** Format: uuid */
            account_id: string;
            /**
             * @description What the provider charged; null if it states nothing
             * @example 12.50
             */
            amount: string | null;
            /** Format: date-time */
            compared_at: string;
            /**
             * Format: date
             * @description UTC day
             */
            day: string;
            /**
             * @description amount less supplier_cost; 0 while the day is pending
             * @example 12.50
             */
            difference: string;
            /**
             * Format: date-time
             * @description When the provider last reported the day; null: never
             */
            fetched_at: string | null;
            /**
             * @description Likely reason of the difference; empty if nothing differs
             * @enum {string}
             */
            reason: "" | "no_rates" | "no_model" | "other_use" | "missing_calls" | "not_charged" | "estimated" | "unpriced_class" | "rates_differ" | "unknown";
            /**
             * Format: int64
             * @description Number of calls in our usage logs
             */
            requests: number;
            /**
             * @description matches: the amounts differ by at most one cent or half a percent. pending: the provider has not reported the day yet
             * @enum {string}
             */
            status: "matches" | "differs" | "pending";
            /**
             * @description Supplier cost of our usage logs, as far as it is known
             * @example 12.50
             */
            supplier_cost: string;
            /**
             * Format: int64
             * @description Of these, the number of calls without a supplier cost
             */
            unpriced_calls: number;
        };
        SupplierDays: {
            /** @description Newest day first */
            items: components["schemas"]["SupplierDay"][];
        };
        SupplierFigures: {
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            amount: string | null;
            /** Format: int64 */
            input_tokens: number | null;
            /** Format: int64 */
            output_tokens: number | null;
            /** Format: int64 */
            requests: number | null;
        };
        SupplierFile: {
            /** @description CSV. Its first line names the columns: day and amount (USD), and optionally model, key, input_tokens, output_tokens and requests */
            csv: string;
        };
        SupplierLine: {
            /**
             * @description The provider's amount less ours; null if the provider states the amount elsewhere
             * @example 12.50
             */
            difference: string | null;
            /** @description Model without the date of its snapshot, or mask of a key. For keys that are not ours, the id at the provider. Empty for charges that the provider attributes to none */
            name: string;
            /** @description Whether it is a model that we called, or a key of the account */
            ours: boolean;
            own: components["schemas"]["SupplierOwn"];
            provider: components["schemas"]["SupplierFigures"];
            /** @enum {string} */
            reason: "" | "no_rates" | "no_model" | "other_use" | "missing_calls" | "not_charged" | "estimated" | "unpriced_class" | "rates_differ" | "unknown";
            /** @enum {string} */
            status: "matches" | "differs" | "pending";
        };
        SupplierModel: {
            /**
             * @description The provider's amount less ours; null if the provider states the amount elsewhere
             * @example 12.50
             */
            difference: string | null;
            /** @description The same for each key, if the account has keys; at most 1,000 */
            keys: components["schemas"]["SupplierLine"][];
            /** @description Model without the date of its snapshot, or mask of a key. For keys that are not ours, the id at the provider. Empty for charges that the provider attributes to none */
            name: string;
            /** @description Whether it is a model that we called, or a key of the account */
            ours: boolean;
            own: components["schemas"]["SupplierOwn"];
            provider: components["schemas"]["SupplierFigures"];
            /** @enum {string} */
            reason: "" | "no_rates" | "no_model" | "other_use" | "missing_calls" | "not_charged" | "estimated" | "unpriced_class" | "rates_differ" | "unknown";
            /** @enum {string} */
            status: "matches" | "differs" | "pending";
        };
        SupplierOwn: {
            /**
             * Format: int64
             * @description Calls whose counts are estimates
             */
            estimated_calls: number;
            /** Format: int64 */
            input_tokens: number;
            /** Format: int64 */
            output_tokens: number;
            /** Format: int64 */
            requests: number;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            supplier_cost: string;
            /**
             * Format: int64
             * @description Calls without a supplier cost
             */
            unpriced_calls: number;
        };
        SupplierSums: {
            /**
             * @description What the upstreams charge, as far as it is known. By channel, failed attempts count at their own channel
             * @example 12.50
             */
            cost: string;
            /**
             * @description This quota minus the cost; negative for a loss
             * @example 12.50
             */
            margin: string;
            /**
             * @description Quota deducted for these requests
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests whose cost is known
             */
            requests: number;
        };
        TOTPEnrolment: {
            /** @description The secret in base32, for typing into an authenticator app */
            secret: string;
            /** @description The same secret as an otpauth:// URI, for a QR code */
            uri: string;
        };
        TagUsage: {
            /**
             * Format: int64
             * @description Input tokens of all classes
             */
            input_tokens: number;
            /** @description Name of the tag */
            name: string;
            /**
             * Format: int64
             * @description Output tokens of all classes
             */
            output_tokens: number;
            /**
             * @description Quota deducted
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests, of all outcomes
             */
            requests: number;
        };
        Tenant: {
            caps: components["schemas"]["Caps"];
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * @description What happens to a call with a field that only restricts the answer or gives a hint, if the API of the channel does not have the field, and with an optional tool of the provider, such as web_search, that no channel has. report: the relay ignores it and lists it in the header x-tollgate-ignored-fields and in the usage log. refuse: the call is refused
             * @enum {string}
             */
            ignored_fields: "report" | "refuse";
            /** @description Whether the usage object of each answer has the member quota, the amount deducted in USD. A call with the header x-tollgate-include-quota decides for itself. Streams then have a usage object even if the request does not ask for one */
            include_quota: boolean;
            /** @description Keys of a request's metadata that are tags of the request */
            metadata_tags: string[];
            name: string;
            /**
             * @description What happens to a call without an output cap of its own, and to a stream with a large one, whose longest answer costs more than the quota that is left. auto: the relay sends the upstream an output cap that the quota can pay, and answers with the header x-tollgate-output-cap. off: the call is refused, and a stream ends when the quota does
             * @enum {string}
             */
            output_cap: "auto" | "off";
            quota: components["schemas"]["Quota"];
            /**
             * @description What happens to a stream when the quota runs out. hard: the stream ends. soft: the stream continues, and only the remaining quota is deducted
             * @enum {string}
             */
            quota_mode: "hard" | "soft";
            /** @description Whether the users of the tenant need a second factor */
            require_second_factor: boolean;
            slug: string;
            /** @enum {string} */
            status: "enabled" | "disabled";
        };
        TenantIssuer: {
            client_id: string;
            /** @description Whether the first sign-in of a person without an account or invitation makes an account */
            create_members: boolean;
            /**
             * Format: uuid
             * @description Group of accounts that sign-ins make; null if the tenant has no issuer
             */
            default_group_id: string;
            /**
             * @description Role of accounts that sign-ins make
             * @enum {string}
             */
            default_role: "member" | "admin";
            /** @description Domains of the e-mail addresses that may sign in through the issuer */
            domains: components["schemas"]["IssuerDomain"][];
            /** @description Whether users of the tenant other than owners must sign in through the issuer */
            enforced: boolean;
            /** @description URL of the issuer, as in its discovery document; empty if the tenant has none */
            issuer: string;
            /** @description The redirect URI to register at the issuer */
            redirect_uri: string;
            /** @description Claims that the ID token must have at each sign-in */
            required_claims: components["schemas"]["RequiredClaim"][];
            /** @description Link to the sign-in page that offers the issuer */
            sign_in_url: string;
            /** @description Whether the address counts as verified if the issuer does not say whether it is */
            trust_email: boolean;
            /**
             * Format: date-time
             * @description Absent if the tenant has no issuer
             */
            updated_at?: string;
        };
        TenantIssuerApproval: {
            /** @description The domains of the issuer that belong to the tenant: the sign-in page sends people with their addresses to the issuer. The approval of all others ends */
            approved_domains?: string[];
            /**
             * Format: uuid
             * @description Group of accounts that sign-ins make
             */
            default_group_id?: string;
        };
        TenantPatch: {
            caps?: components["schemas"]["CapsPatch"];
            /**
             * @description What happens to a call with a field that the API of the channel does not have, see Tenant
             * @enum {string}
             */
            ignored_fields?: "report" | "refuse";
            /** @description Whether answers show the quota, see Tenant */
            include_quota?: boolean;
            /** @description Keys of a request's metadata that are tags of the request: names of 1 to 32 of the characters a-z, 0-9, '_' and '-' */
            metadata_tags?: string[];
            name?: string;
            /**
             * @description Whether the relay may limit the output of calls, see Tenant
             * @enum {string}
             */
            output_cap?: "auto" | "off";
            /**
             * @description What happens to a stream when the quota runs out, see Tenant
             * @enum {string}
             */
            quota_mode?: "hard" | "soft";
            /** @description Whether the users of the tenant need a second factor */
            require_second_factor?: boolean;
            /**
             * @description disabled: users of the tenant cannot sign in or use tokens
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        Tier: {
            /**
             * Format: int64
             * @description The rates apply to calls with more input tokens than this, cached ones included
             */
            above_input: number;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            audio_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cache_write?: string;
            /**
             * @description Cache writes that live for one hour; without a price they cost as much as cache_write
             * @example 12.50
             */
            cache_write_1h?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            cached_input?: string;
            /**
             * @description Images that were not read from a cache; without a price they cost as much as input
             * @example 12.50
             */
            image_input?: string;
            /**
             * @description Generated images; without a price they cost as much as output
             * @example 12.50
             */
            image_output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            input?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            output?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            reasoning?: string;
            /**
             * @description Amount in USD as a decimal string
             * @example 12.50
             */
            request?: string;
        };
        Token: {
            /** @description Permitted client addresses; empty: every address, or the token is revoked. A list of tokens has the first 20 of each token */
            addresses: string[];
            /**
             * Format: int64
             * @description Number of permitted client addresses
             */
            addresses_count: number;
            caps: components["schemas"]["Caps"];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description null: never
             */
            expires_at: string | null;
            /** @description Fields that an admin has restricted, such as status, quota or caps.day: the owner of the token cannot change them */
            held: string[];
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Time of the latest call in the usage logs, or its hour if the logs are deleted; null if the token was never used
             */
            last_used: string | null;
            limits: components["schemas"]["Limits"];
            /** @description Part of the value by which people recognize the token; useless for authentication */
            mask: string;
            /** @description Permitted models; empty: all models of the user's group, or the token is revoked. A list of tokens has the first 20 of each token */
            models: string[];
            /**
             * Format: int64
             * @description Number of permitted models
             */
            models_count: number;
            name: string;
            /**
             * @description playground: created by the console for its playground. Empty for all other tokens
             * @enum {string}
             */
            purpose: "" | "playground";
            quota: components["schemas"]["Quota"];
            /**
             * @description Only enabled tokens work. A revoked token cannot be enabled again
             * @enum {string}
             */
            status: "enabled" | "disabled" | "revoked";
            /** Format: uuid */
            tenant_id: string;
            /** @description E-mail address of the owner */
            user_email: string;
            /** Format: uuid */
            user_id: string;
        };
        TokenClient: {
            /** @description IP address; empty: all further clients of the token together */
            address: string;
            /** @description Value of the header User-Agent, at most 256 bytes; empty for none, and for further clients */
            agent: string;
            /**
             * Format: int64
             * @description Number of calls that reached a model, whether they succeeded or not
             */
            calls: number;
            /**
             * Format: date-time
             * @description When the first call arrived
             */
            first_at: string;
            /**
             * Format: uuid
             * @description For the parameter client_id of listUsageLogs; absent for all further clients together
             */
            id?: string;
            /**
             * Format: date-time
             * @description When the latest call arrived
             */
            last_at: string;
        };
        TokenClients: {
            /** @description The client of the latest call first */
            items: components["schemas"]["TokenClient"][];
        };
        TokenCounts: {
            /**
             * Format: int64
             * @description Input tokens of audio
             */
            audio_input: number;
            /**
             * Format: int64
             * @description Output tokens of audio
             */
            audio_output: number;
            /**
             * Format: int64
             * @description Input tokens that the upstream wrote to its cache
             */
            cache_write: number;
            /**
             * Format: int64
             * @description Input tokens that the upstream read from its cache
             */
            cached_input: number;
            /**
             * Format: int64
             * @description Input tokens that are in none of the other classes of input
             */
            input: number;
            /**
             * Format: int64
             * @description Output tokens that are in none of the other classes of output
             */
            output: number;
            /**
             * Format: int64
             * @description Output tokens of reasoning
             */
            reasoning: number;
            /**
             * Format: int64
             * @description Sum of all classes
             */
            total: number;
        };
        TokenModel: {
            id: string;
            owned_by: string;
            /**
             * @description Why the token may not use the model; empty if it may
             * @enum {string}
             */
            reason: "" | "not_in_token" | "group_disabled" | "not_in_group" | "model_disabled" | "not_served" | "not_priced";
            /** @description Whether the token may use the model */
            visible: boolean;
        };
        TokenModels: {
            /** @description Ordered by id. Only operators see models that the user's group does not permit */
            items: components["schemas"]["TokenModel"][];
            /** @description Pass it as after to get the following models; empty if there are none. A page ends at about 1 MiB */
            next: string;
        };
        TokenPatch: {
            /** @description Replaces the permitted client addresses. Empty: every address */
            addresses?: string[];
            caps?: components["schemas"]["CapsPatch"];
            /**
             * Format: date-time
             * @description When the token expires; null: never
             */
            expires_at?: string | null;
            limits?: components["schemas"]["LimitsPatch"];
            /** @description Replaces the permitted models. Empty: all models of the user's group */
            models?: string[];
            name?: string;
            /**
             * @description The most that the token may spend in total; null: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /** @enum {string} */
            status?: "enabled" | "disabled";
        };
        TokenValueBody: {
            /** @description The whole value of the token, such as one that was found in a log */
            value: string;
        };
        ToolCounts: {
            /**
             * Format: int64
             * @description Sessions
             */
            code_interpreter: number;
            /**
             * Format: int64
             * @description Calls
             */
            file_search: number;
            /**
             * Format: int64
             * @description Tokens of images
             */
            image_generation_image_input: number;
            /**
             * Format: int64
             * @description Tokens of text
             */
            image_generation_input: number;
            /**
             * Format: int64
             * @description Tokens of generated images
             */
            image_generation_output: number;
            /**
             * Format: int64
             * @description Calls
             */
            web_search: number;
        };
        Tools: {
            /**
             * @description USD per session, which is one container
             * @example 12.50
             */
            code_interpreter?: string;
            /**
             * @description USD per call
             * @example 12.50
             */
            file_search?: string;
            /** @description USD per 1M tokens of the model that draws */
            image_generation?: components["schemas"]["ImageGeneration"];
            /**
             * @description USD per call
             * @example 12.50
             */
            web_search?: string;
        };
        Totals: {
            /**
             * @description What the calls would have cost under the change
             * @example 12.50
             */
            after: string;
            /**
             * @description What the calls cost
             * @example 12.50
             */
            before: string;
            /** Format: int64 */
            calls: number;
            /**
             * @description after minus before
             * @example 12.50
             */
            difference: string;
        };
        Transfer: {
            given: components["schemas"]["LedgerEntry"];
            received: components["schemas"]["LedgerEntry"];
        };
        UnpricedCall: {
            /**
             * Format: int64
             * @description Number of calls that asked for it, or whose answer shows it, while the model had no price for it
             */
            calls: number;
            /** @description Name of the channel; empty if it no longer exists */
            channel: string;
            /** Format: uuid */
            channel_id: string;
            /** @description What the provider may have charged for: service_tier, web_search, file_search, code_interpreter, image_generation, other_tool, image_output, audio_output or cache_write_1h */
            kind: string;
        };
        UnpricedCalls: {
            /**
             * Format: int64
             * @description Number of days (UTC) that the numbers cover, with today
             */
            days: number;
            /** @description The largest numbers first, at most 200 */
            items: components["schemas"]["UnpricedCall"][];
        };
        UnservedModel: {
            /**
             * Format: int64
             * @description Number of the channels that have the model, whatever their status
             */
            channels: number;
            /** @description Id of the model */
            model: string;
            /**
             * @description no_channel: no channel has the model. disabled: all channels that have it are disabled. failing: no credential of the enabled ones works: each is disabled, cannot be decrypted, or failed its last probe
             * @enum {string}
             */
            reason: "no_channel" | "disabled" | "failing";
        };
        UnservedModels: {
            /**
             * Format: int64
             * @description Number of these models; 0 if each enabled model has a healthy channel
             */
            count: number;
            /** @description The first 100, ordered by model */
            items: components["schemas"]["UnservedModel"][];
        };
        UploadedCharges: {
            /**
             * Format: int64
             * @description Number of days, models and keys in the file
             */
            charges: number;
            /**
             * Format: int64
             * @description Number of days whose charges the file replaced
             */
            days: number;
        };
        UsageAttribution: {
            /**
             * Format: date-time
             * @description Start of the first day, inclusive
             */
            from: string;
            /** @description The values with the most quota, the largest first */
            items: components["schemas"]["AttributedUsage"][];
            /** @description All other calls with the tag, or with an end user */
            other: components["schemas"]["AttributionSums"];
            /** @description Tags beyond the first 32 of a day. A call counts once for each of them */
            other_tags: components["schemas"]["AttributionSums"];
            /** @description The tags of these days, the largest first */
            tags: components["schemas"]["TagUsage"][];
            /**
             * Format: date-time
             * @description End of the last day, exclusive
             */
            to: string;
        };
        UsageBreakdown: {
            /**
             * @description The dimension
             * @enum {string}
             */
            by: "model" | "token" | "user" | "channel" | "tenant";
            /** @description Why items is empty although there may be usage: the breakdown exceeds a limit of getUsageSummary */
            fault?: string;
            /** @description Ordered by value */
            items: components["schemas"]["UsageSummaryRow"][];
        };
        UsageBucket: {
            /**
             * Format: int64
             * @description End, exclusive, in Unix seconds
             */
            end_time: number;
            /** @enum {string} */
            object: "bucket";
            results: components["schemas"]["CompletionsResult"][];
            /**
             * Format: int64
             * @description Start, inclusive, in Unix seconds
             */
            start_time: number;
        };
        UsageExport: {
            /**
             * Format: uuid
             * @description Only requests for which this channel responded last
             */
            channel_id?: string;
            /**
             * Format: uuid
             * @description Only requests from this client, see listTokenClients
             */
            client_id?: string;
            /** @description Only requests for this end user */
            end_user?: string;
            /**
             * @description Only requests to this endpoint
             * @enum {string}
             */
            endpoint?: "chat" | "responses" | "messages" | "embeddings";
            /** @description Only requests with this error code */
            error?: string;
            /**
             * @description csv: comma-separated values. ndjson: one JSON object per line
             * @enum {string}
             */
            format: "csv" | "ndjson";
            /**
             * Format: date-time
             * @description Start, inclusive. Defaults to the first usage log
             */
            from?: string;
            /** @description Only requests for this model */
            model?: string;
            /**
             * @description Only requests with this outcome
             * @enum {string}
             */
            outcome?: "success" | "partial" | "failed";
            /** @description Only requests with all of these tags, each as name=value */
            tag?: string[];
            /**
             * Format: uuid
             * @description Only usage of this tenant. For operators
             */
            tenant_id?: string;
            /**
             * Format: date-time
             * @description End, exclusive. Defaults to now; a later time is replaced with now
             */
            to?: string;
            /**
             * Format: uuid
             * @description Only usage of this token
             */
            token_id?: string;
            /**
             * Format: uuid
             * @description Only usage of this user
             */
            user_id?: string;
        };
        UsageLog: {
            /** @description Name of this channel; empty if none responded */
            channel: string;
            /**
             * Format: uuid
             * @description The channel that responded last; null if none responded
             */
            channel_id: string | null;
            /**
             * @description Cost of the request by the price formula
             * @example 12.50
             */
            cost: string;
            /**
             * Format: date-time
             * @description When the request was accepted
             */
            created_at: string;
            /** @description The end user that the request named in safety_identifier or user; empty if it named none */
            end_user: string;
            /** @description The endpoint that the client called: chat, responses, messages or embeddings */
            endpoint: string;
            /** @description Error code; empty on success */
            error: string;
            /** @description The upstream reported no usage, so Tollgate counted the tokens itself */
            estimated: boolean;
            /**
             * Format: int64
             * @description Time from the request to the first byte of the response
             */
            first_byte_ms: number;
            /**
             * Format: uuid
             * @description Id of the request, which the client also received in the header x-request-id
             */
            id: string;
            /** @description Paths, separated by commas, of what the relay ignored of the request: fields that the API of the channel does not have, and optional tools of the provider that no channel has. A plus sign and a number at the end count further ones; empty for none */
            ignored_fields: string;
            /**
             * Format: int64
             * @description Time from the request to the end of the response
             */
            latency_ms: number;
            /** @description Public id of the model */
            model: string;
            /**
             * @description partial: the response ended early
             * @enum {string}
             */
            outcome: "success" | "partial" | "failed";
            /**
             * @description Quota deducted. It is less than cost only if the quota ran out
             * @example 12.50
             */
            quota: string;
            /** @description The service tier that the answer names; empty if it is the ordinary one */
            service_tier: string;
            /**
             * Format: int64
             * @description HTTP status that the client received
             */
            status: number;
            /** @description Whether the client asked for a stream */
            stream: boolean;
            /**
             * @description What the upstreams charge for the request, failed attempts included; absent if it is not known. Only operators see it
             * @example 12.50
             */
            supplier_cost?: string;
            /** @description Tags of the request by name, from the headers x-tollgate-tag-NAME and from metadata */
            tags: {
                [key: string]: string;
            };
            /** @description Name of the tenant. Only operators see it */
            tenant?: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            token_id: string;
            /** @description Name of the token, even if the token is revoked */
            token_name: string;
            tokens: components["schemas"]["LogTokenCounts"];
            /** @description What tools did that the upstream ran */
            tools: components["schemas"]["ToolCounts"];
            user_email: string;
            /** Format: uuid */
            user_id: string;
        };
        UsageLogDetail: {
            /** @description The channels that were tried, in order */
            attempts: components["schemas"]["Attempt"][];
            /** @description Name of this channel; empty if none responded */
            channel: string;
            /**
             * Format: uuid
             * @description The channel that responded last; null if none responded
             */
            channel_id: string | null;
            /** @description From where and with which program the request came; absent if that is not stored: see listTokenClients */
            client?: components["schemas"]["LogClient"];
            /**
             * @description Cost of the request by the price formula
             * @example 12.50
             */
            cost: string;
            /**
             * Format: uuid
             * @description Version of the costs of the channel that responded. Only operators see it
             */
            cost_id?: string;
            /**
             * Format: date-time
             * @description When the request was accepted
             */
            created_at: string;
            /** @description The end user that the request named in safety_identifier or user; empty if it named none */
            end_user: string;
            /** @description The endpoint that the client called: chat, responses, messages or embeddings */
            endpoint: string;
            /** @description Error code; empty on success */
            error: string;
            /** @description The upstream reported no usage, so Tollgate counted the tokens itself */
            estimated: boolean;
            /**
             * Format: int64
             * @description Time from the request to the first byte of the response
             */
            first_byte_ms: number;
            /**
             * Format: uuid
             * @description Id of the request, which the client also received in the header x-request-id
             */
            id: string;
            /** @description Paths, separated by commas, of what the relay ignored of the request: fields that the API of the channel does not have, and optional tools of the provider that no channel has. A plus sign and a number at the end count further ones; empty for none */
            ignored_fields: string;
            /**
             * Format: int64
             * @description Time from the request to the end of the response
             */
            latency_ms: number;
            /** @description Public id of the model */
            model: string;
            /**
             * @description partial: the response ended early
             * @enum {string}
             */
            outcome: "success" | "partial" | "failed";
            /**
             * Format: uuid
             * @description The price by which the request was charged; null if there was none
             */
            price_id: string | null;
            /**
             * @description Quota deducted. It is less than cost only if the quota ran out
             * @example 12.50
             */
            quota: string;
            /** @description Shows how the cost was computed; absent if the request had no price */
            receipt?: components["schemas"]["Receipt"];
            /**
             * Format: uuid
             * @description The price rule of the group that applied; null if there was none
             */
            rule_id: string | null;
            /** @description The service tier that the answer names; empty if it is the ordinary one */
            service_tier: string;
            /**
             * Format: int64
             * @description HTTP status that the client received
             */
            status: number;
            /** @description Whether the client asked for a stream */
            stream: boolean;
            /**
             * @description What the upstreams charge for the request, failed attempts included; absent if it is not known. Only operators see it
             * @example 12.50
             */
            supplier_cost?: string;
            /** @description Shows how the cost of the channel that responded was computed; absent if it has no costs. Only operators see it */
            supplier_receipt?: components["schemas"]["Receipt"];
            /** @description Tags of the request by name, from the headers x-tollgate-tag-NAME and from metadata */
            tags: {
                [key: string]: string;
            };
            /** @description Name of the tenant. Only operators see it */
            tenant?: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            token_id: string;
            /** @description Name of the token, even if the token is revoked */
            token_name: string;
            tokens: components["schemas"]["LogTokenCounts"];
            /** @description What tools did that the upstream ran */
            tools: components["schemas"]["ToolCounts"];
            /** @description Id of the model at the upstream. Only operators see it */
            upstream_model?: string;
            user_email: string;
            /** Format: uuid */
            user_id: string;
        };
        UsageLogTotals: {
            /** @description false: the figures are those of the newest logs, because the filter selects more than are added up at once */
            complete: boolean;
            /**
             * Format: int64
             * @description Number of requests that failed
             */
            failed: number;
            /**
             * Format: int64
             * @description Number of requests whose response ended early
             */
            partial: number;
            /**
             * @description Quota deducted
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests, of all outcomes
             */
            requests: number;
            /** @description What the upstreams charge; absent if the figures need rollups by user or token. Only operators see it */
            supplier?: components["schemas"]["SupplierSums"];
            tokens: components["schemas"]["TokenCounts"];
        };
        UsageOverview: {
            /** @description What getUsageAttribution returns for end users; absent unless the parameter attribution asks for it */
            attribution?: components["schemas"]["UsageAttribution"];
            /** @description Usage of the range by each dimension of by, in their order */
            breakdowns: components["schemas"]["UsageBreakdown"][];
            /** @description The latest failed requests of the range, as many as the parameter failures asks for */
            failures: components["schemas"]["UsageLog"][];
            /**
             * Format: date-time
             * @description Start of the range, inclusive
             */
            from: string;
            /** @description All usage of the period of the same length before the range */
            previous: components["schemas"]["UsageSummaryRow"];
            /** @description Usage of each hour or day by the dimension series, ordered by start, then value */
            series: components["schemas"]["UsageBreakdown"];
            /**
             * Format: date-time
             * @description End of the range, exclusive
             */
            to: string;
            /** @description All usage of the range */
            total: components["schemas"]["UsageSummaryRow"];
        };
        UsagePage: {
            /** @description Oldest first. Buckets without usage have no results */
            data: components["schemas"]["UsageBucket"][];
            has_more: boolean;
            /** @description The value of page for the following buckets; null if there are none */
            next_page: string | null;
            /** @enum {string} */
            object: "page";
        };
        UsageSummary: {
            /**
             * Format: date-time
             * @description Start of the summary, inclusive
             */
            from: string;
            /** @description Ordered by start, then value */
            items: components["schemas"]["UsageSummaryRow"][];
            /**
             * Format: date-time
             * @description End of the summary, exclusive
             */
            to: string;
        };
        UsageSummaryRow: {
            /**
             * Format: int64
             * @description Number of requests that failed
             */
            failed: number;
            /** @description Name of the token, channel or tenant, or e-mail address of the user; otherwise the same as value */
            name: string;
            /**
             * Format: int64
             * @description Number of requests whose response ended early
             */
            partial: number;
            /**
             * @description Quota deducted
             * @example 12.50
             */
            quota: string;
            /**
             * Format: int64
             * @description Number of requests, of all outcomes
             */
            requests: number;
            /**
             * Format: date-time
             * @description Start of the hour or day; null if the request has no bucket
             */
            start: string | null;
            /** @description What the upstreams charge; absent if the usage is broken down or filtered by user or token. Only operators see it */
            supplier?: components["schemas"]["SupplierSums"];
            tokens: components["schemas"]["TokenCounts"];
            /** @description Id of the model, token, user, channel or tenant; empty if the request has no by */
            value: string;
        };
        User: {
            caps: components["schemas"]["Caps"];
            /** Format: date-time */
            created_at: string;
            email: string;
            /** @description Whether the address is known to belong to the person: by a mailed link, an issuer, an operator, or where mail is not configured a link that an inviter handed over */
            email_proven: boolean;
            /**
             * Format: uuid
             * @description null for operators
             */
            group_id: string | null;
            /** Format: uuid */
            id: string;
            /** @description Rate limits for all tokens of the user together */
            limits: components["schemas"]["Limits"];
            quota: components["schemas"]["Quota"];
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "operator";
            /** @enum {string} */
            status: "enabled" | "disabled";
            /**
             * Format: uuid
             * @description null for operators
             */
            tenant_id: string | null;
        };
        UserPatch: {
            caps?: components["schemas"]["CapsPatch"];
            /**
             * Format: uuid
             * @description Moves the user to another group
             */
            group_id?: string;
            limits?: components["schemas"]["LimitsPatch"];
            /** @description Sets a new password */
            password?: string;
            /**
             * @description The most that the user may spend in total; null: unlimited
             * @example 12.50
             */
            quota?: string | null;
            /** @enum {string} */
            role?: "owner" | "admin" | "member";
            /**
             * @description disabled: the user cannot sign in or use tokens
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        VisibleModel: {
            /**
             * Format: int64
             * @description The most tokens of input and output together; 0: not stated
             */
            context_length: number;
            /** @description What the group pays: rates times multiplier, or the fixed price */
            effective: components["schemas"]["EffectivePrice"][];
            /** @description What the group pays for calls whose answer names a service tier, in the order of the names */
            effective_service_tiers: components["schemas"]["EffectiveServiceTier"][];
            /** @description What the group pays for calls with a long input, in ascending order of above_input */
            effective_tiers: components["schemas"]["EffectiveTier"][];
            /**
             * @description Fixed price per request that the group pays instead of the price of the model; null if there is none
             * @example 12.50
             */
            fixed: string | null;
            /** @description The model has no price: requests cost nothing */
            free: boolean;
            id: string;
            /**
             * Format: int64
             * @description The most tokens that one response can have
             */
            max_output: number;
            /** @description Whether max_output is stated for the model. Otherwise it is the default of the gateway, and the upstream may end responses earlier */
            max_output_stated: boolean;
            /** @description What the model reads and writes */
            modalities: components["schemas"]["Modalities"];
            /**
             * @description Factor that the group pays on the price
             * @example 0.85
             */
            multiplier: string;
            owned_by: string;
            /** @description Price of the model in USD per 1M tokens, and per request; absent for free models */
            rates?: components["schemas"]["Rates"];
        };
        VisibleModelDetail: {
            /**
             * Format: int64
             * @description The most tokens of input and output together; 0: not stated
             */
            context_length: number;
            /** @description What the group pays: rates times multiplier, or the fixed price */
            effective: components["schemas"]["EffectivePrice"][];
            /** @description What the group pays for calls whose answer names a service tier, in the order of the names */
            effective_service_tiers: components["schemas"]["EffectiveServiceTier"][];
            /** @description What the group pays for calls with a long input, in ascending order of above_input */
            effective_tiers: components["schemas"]["EffectiveTier"][];
            /**
             * @description Fixed price per request that the group pays instead of the price of the model; null if there is none
             * @example 12.50
             */
            fixed: string | null;
            /** @description The model has no price: requests cost nothing */
            free: boolean;
            id: string;
            /**
             * Format: int64
             * @description The most tokens that one response can have
             */
            max_output: number;
            /** @description Whether max_output is stated for the model. Otherwise it is the default of the gateway, and the upstream may end responses earlier */
            max_output_stated: boolean;
            /** @description What the model reads and writes */
            modalities: components["schemas"]["Modalities"];
            /**
             * @description Factor that the group pays on the price
             * @example 0.85
             */
            multiplier: string;
            owned_by: string;
            /** @description Price of the model in USD per 1M tokens, and per request; absent for free models */
            rates?: components["schemas"]["Rates"];
            /** @description How fast and how reliable the model responded to the calls of all users of the caller's tenant in the last 24 hours; absent without such calls, and for operators */
            recent?: components["schemas"]["RecentSpeed"];
        };
        VisibleModels: {
            /** @description Ordered by id */
            items: components["schemas"]["VisibleModel"][];
            /** @description Pass it as after to get the following models; empty if there are none. A page ends at about 1 MiB */
            next: string;
        };
        Worker: {
            /**
             * Format: int64
             * @description Number of tasks that it is running
             */
            active: number;
            host: string;
            id: string;
            /** Format: int64 */
            pid: number;
            /** Format: date-time */
            started_at: string;
            /** @example active */
            status: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAccessKeys: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only keys of this user */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAccessKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccessKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertDestinations: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAlertDestination"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAlertDestination"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAlertDestination"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertDestinationPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDestination"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceAlertSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAlertDestination"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    testAlertDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertRules: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAlertRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAlertRule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRulePatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAlert"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTenantAuditLog: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only changes by this user (e-mail address) or program (name) */
                actor?: string;
                /** @description Only this action, such as token.create, or all actions on one kind of resource, such as token */
                action?: string;
                /** @description Only changes of the resource with this id */
                target?: string;
                /** @description Only entries with this address. A page examines 10,000 entries: it may be empty and still have next */
                address?: string;
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the newest entries first */
                sort?: "created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAuditEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportTenantAuditLog: {
        parameters: {
            query?: {
                /** @description Only changes by this user (e-mail address) or program (name) */
                actor?: string;
                /** @description Only this action, such as token.create, or all actions on one kind of resource, such as token */
                action?: string;
                /** @description Only changes of the resource with this id */
                target?: string;
                /** @description Only entries with this address. A page examines 10,000 entries: it may be empty and still have next */
                address?: string;
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only invitations to this tenant. For operators */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInvitation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeInvitation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretAndPassword"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    lookUpInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkSecret"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenInvitation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeInvitation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListJob"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createUsageExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageExport"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJobFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLedgerEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Part of a name, without regard to case, or a complete id. If only few of very many items match, a page can have fewer items than limit, or none, and still have a next */
                search?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the oldest users first */
                sort?: "created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUser"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeMember"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetMemberPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetMemberFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVisibleModels: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description The group. Required for operators; other callers may only name their own */
                group_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibleModels"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getVisibleModel: {
        parameters: {
            query?: {
                /** @description The group. Required for operators; other callers may only name their own */
                group_id?: string;
            };
            header?: never;
            path: {
                /** @description Id of the model. Write a slash in it as %2F */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibleModelDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAdjustment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the client chooses. A second request with the same key has no effect: it returns the response of the first, or 409 if it asks for something else */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAdjustment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only changes by this user (e-mail address) or program (name) */
                actor?: string;
                /** @description Only this action, such as token.create, or all actions on one kind of resource, such as token */
                action?: string;
                /** @description Only changes of the resource with this id */
                target?: string;
                /** @description Only entries with this address. A page examines 10,000 entries: it may be empty and still have next */
                address?: string;
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the newest entries first */
                sort?: "created_at";
                /** @description Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAuditEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                /** @description Only changes by this user (e-mail address) or program (name) */
                actor?: string;
                /** @description Only this action, such as token.create, or all actions on one kind of resource, such as token */
                action?: string;
                /** @description Only changes of the resource with this id */
                target?: string;
                /** @description Only entries with this address. A page examines 10,000 entries: it may be empty and still have next */
                address?: string;
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
                /** @description Only changes of this tenant's resources. Absent: all changes, including those of the platform's resources */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBillingAccounts: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBillingAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createBillingAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBillingAccount"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBillingAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteBillingAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateBillingAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BillingAccountPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadSupplierCharges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SupplierFile"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadedCharges"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSupplierComparison: {
        parameters: {
            query?: {
                /** @description UTC day. Defaults to yesterday */
                day?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupplierComparison"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    fetchBillingAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawChannelCost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelCost"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChannelHealth: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Whether items have all members of their lists, instead of the first 20. Pages can have fewer items then */
                complete?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelsHealth"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Whether items have all members of their lists, instead of the first 20. Pages can have fewer items then */
                complete?: boolean;
                /** @description Lists only channels with this tag, exactly */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChannel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChannel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewChannel"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUpstreamModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelSource"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedModels"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Gateway Timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    testChannelDraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelDraftTest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTested"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    callChannel: {
        parameters: {
            query?: {
                /** @description Fingerprint of the credential to use. Defaults to the first enabled one */
                fingerprint?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelCall"];
            };
        };
        responses: {
            /** @description The answer and its receipt, as server-sent events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ChannelCallEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChannelCosts: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the channel */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChannelCost"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChannelCost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the channel */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewChannelCost"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelCost"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableChannelCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnableCredential"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelHealth"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChannelHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelHealth"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelTest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTested"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only entries of this tenant. Absent: all tenants */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLedgerEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createGrant: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the client chooses. A second request with the same key has no effect: it returns the response of the first, or 409 if it asks for something else */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGrant"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listGroupRules: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only rules of this group */
                group_id?: string;
                /** @description Only rules that name this model. Rules for all models are not included */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createGroupRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawGroupRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Whether items have all members of their lists, instead of the first 20. Pages can have fewer items then */
                complete?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListGroup"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCatalogueImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCatalogueImport"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPriceSimulation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPriceSimulation"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    takeImportedTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedTokens"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListModel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewModel"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the model. Write a slash in it as %2F */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPriceCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    replacePriceCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFile"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    removePriceCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    applyPriceCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Application"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    comparePriceCatalog: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Also list models whose price is the same. Defaults to false */
                all?: boolean;
                /** @description Only this model */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Differences"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPriceCatalogEntries: {
        parameters: {
            query?: {
                /** @description Part of an id or an alias, without regard to case */
                search?: string;
                /** @description Only entries whose id, model or alias is exactly this */
                model?: string;
                /** @description Provider whose entries come first in a search */
                first?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPriceCatalogModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewModels"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedModels"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPrices: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only prices of this model */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPrice"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPrice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrice"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrices"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPrices"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrices"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePreview"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawPrice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    explainRouting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoutingQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingAnswer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSupplierDays: {
        parameters: {
            query?: {
                /** @description Only days of this billing account */
                account_id?: string;
                /** @description First UTC day. Defaults to 30 days before to; at most 91 days before it */
                from?: string;
                /** @description Last UTC day. Defaults to today */
                to?: string;
                /** @description Only days with this result */
                status?: "matches" | "differs" | "pending";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupplierDays"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Part of a name, without regard to case, or a complete id. If only few of very many items match, a page can have fewer items than limit, or none, and still have a next */
                search?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the oldest tenants first */
                sort?: "created_at" | "name";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTenant"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getIssuerOfTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantIssuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    approveTenantIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantIssuerApproval"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantIssuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTransfer: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the client chooses. A second request with the same key has no effect: it returns the response of the first, or 409 if it asks for something else */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTransfer"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUnpricedCalls: {
        parameters: {
            query?: {
                /** @description Only this channel */
                channel_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnpricedCalls"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Part of a name, without regard to case, or a complete id. If only few of very many items match, a page can have fewer items than limit, or none, and still have a next */
                search?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the oldest users first */
                sort?: "created_at";
                /** @description Only users of this tenant. Absent: users of all tenants, and operators */
                tenant_id?: string;
                /** @description Only users with this role. Absent: with any */
                role?: "owner" | "admin" | "member" | "operator";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUser"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetUserFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUserSessions: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSession"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganizationCosts: {
        parameters: {
            query: {
                /** @description Start, inclusive, in Unix seconds; rounded down to the bucket */
                start_time: number;
                /** @description End, exclusive, in Unix seconds; rounded up to the bucket. Defaults to now */
                end_time?: number;
                /** @description next_page of the page before */
                page?: string;
                /** @description Only usage of this tenant. For operators */
                project_ids?: string[];
                /** @description Length of a bucket */
                bucket_width?: "1d";
                /** @description What the results are grouped by. Operators who name no project can group by one only */
                group_by?: ("project_id" | "line_item")[];
                /** @description Days of a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostsPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganizationCompletionsUsage: {
        parameters: {
            query: {
                /** @description Start, inclusive, in Unix seconds; rounded down to the bucket */
                start_time: number;
                /** @description End, exclusive, in Unix seconds; rounded up to the bucket. Defaults to now */
                end_time?: number;
                /** @description next_page of the page before */
                page?: string;
                /** @description Only usage of this tenant. For operators */
                project_ids?: string[];
                /** @description Length of a bucket */
                bucket_width?: "1h" | "1d";
                /** @description What the results are grouped by: one of user_id, api_key_id and model, and project_id. Operators who name no project can group by one only */
                group_by?: ("project_id" | "user_id" | "api_key_id" | "model")[];
                /** @description Only usage of this user */
                user_ids?: string[];
                /** @description Only usage of this token */
                api_key_ids?: string[];
                /** @description Only usage of this model */
                models?: string[];
                /** @description Buckets of a page: up to 31 days, by default 7, or up to 168 hours, by default 24 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsagePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Platform"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPlaygroundChatCompletion: {
        parameters: {
            query?: never;
            header: {
                /** @description The API token with which the relay is called */
                "X-Tollgate-Token": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlaygroundCall"];
            };
        };
        responses: {
            /** @description The relay's response: JSON, or a stream if `stream` is true */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaygroundAnswer"];
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Gateway Timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPlaygroundModels: {
        parameters: {
            query?: never;
            header: {
                /** @description The API token with which the relay is called */
                "X-Tollgate-Token": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The relay's response: JSON, or a stream if `stream` is true */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaygroundAnswer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Gateway Timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPlaygroundResponse: {
        parameters: {
            query?: never;
            header: {
                /** @description The API token with which the relay is called */
                "X-Tollgate-Token": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlaygroundCall"];
            };
        };
        responses: {
            /** @description The relay's response: JSON, or a stream if `stream` is true */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaygroundAnswer"];
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Gateway Timeout */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPlaygroundToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getQuota: {
        parameters: {
            query?: {
                /** @description The user. Defaults to the caller; admins and owners may name another user */
                user_id?: string;
                /** @description Also returns the limits of this token, and those of its user instead of the caller's */
                token_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnQuota"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRefusedCallTotals: {
        parameters: {
            query?: {
                /** @description Only calls of this tenant. For operators */
                tenant_id?: string;
                /** @description Only calls of this user */
                user_id?: string;
                /** @description Start. Its whole hour in UTC is counted */
                from?: string;
                /** @description End, exclusive. The whole hour in UTC before it is counted */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusedCallTotals"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRefusedCalls: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only calls of this tenant. For operators */
                tenant_id?: string;
                /** @description Only calls of this user */
                user_id?: string;
                /** @description Only calls with this token */
                token_id?: string;
                /** @description Only calls for this model */
                model?: string;
                /** @description Only calls that were refused for this reason */
                code?: string;
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRefusedCall"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRefusedCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusedCall"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityProof"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factors"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLinkedIdentity"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPasskeySession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyAnswer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginPasskeySession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPasskey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordProof"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updatePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    completePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretAndPassword"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    lookUpPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkSecret"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenReset"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FullProof"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorAnswer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    askPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PendingChallenge"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginTOTP: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordProof"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TOTPEnrolment"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmTOTP: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeProof"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    disableTOTP: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FullProof"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSession"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description The month, in UTC. Defaults to the current one */
                month?: string;
                /** @description The tenant. Defaults to the caller's; operators must name one */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOwnTenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnTenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateOwnTenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnTenantPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnTenant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTenantIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantIssuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    setTenantIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssuerSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantIssuer"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTenantIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Part of a name, without regard to case, or a complete id. If only few of very many items match, a page can have fewer items than limit, or none, and still have a next */
                search?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Tokens that were never used count as used before all others. Defaults to the newest tokens first */
                sort?: "created_at" | "name" | "last_used";
                /** @description Only tokens of this tenant. For operators */
                tenant_id?: string;
                /** @description Only tokens of this user */
                user_id?: string;
                /** @description Whether to include revoked tokens. Has no effect if status is set */
                include_revoked?: boolean;
                /** @description Only tokens with this status */
                status?: "enabled" | "disabled" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    lookUpToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenValueBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewToken: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenModels"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokenClients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenClients"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokenModels: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenModels"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsageAttribution: {
        parameters: {
            query?: {
                /** @description Start, inclusive, rounded down to the day (UTC). Defaults to 30 days before to */
                from?: string;
                /** @description End, exclusive, rounded up to the day (UTC). Defaults to now */
                to?: string;
                /** @description Name of the tag whose values are summed; absent: end users */
                tag?: string;
                /** @description Greatest number of items */
                limit?: number;
                /** @description Only usage of this tenant. Operators must name one */
                tenant_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageAttribution"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsageLogTotals: {
        parameters: {
            query?: {
                /** @description Only usage of this tenant. For operators */
                tenant_id?: string;
                /** @description Only usage of this user */
                user_id?: string;
                /** @description Only usage of this token */
                token_id?: string;
                /** @description Only requests for which this channel responded last */
                channel_id?: string;
                /** @description Only requests for this model */
                model?: string;
                /** @description Only requests with this outcome */
                outcome?: "success" | "partial" | "failed";
                /** @description Only requests to this endpoint */
                endpoint?: "chat" | "responses" | "messages" | "embeddings";
                /** @description Only requests with this error code. The search is faster if outcome is set too */
                error?: string;
                /** @description Only requests for this end user */
                end_user?: string;
                /** @description Only requests from this client, see listTokenClients */
                client_id?: string;
                /** @description Only requests with this tag, as name=value. Repeat the parameter for requests that have several tags */
                tag?: string[];
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLogTotals"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsageLogs: {
        parameters: {
            query?: {
                /** @description The next field of the previous page; absent for the first page */
                after?: string;
                /** @description Number of items on the page. Defaults to 50 */
                limit?: number;
                /** @description Only usage of this tenant. For operators */
                tenant_id?: string;
                /** @description Only usage of this user */
                user_id?: string;
                /** @description Only usage of this token */
                token_id?: string;
                /** @description Only requests for which this channel responded last */
                channel_id?: string;
                /** @description Only requests for this model */
                model?: string;
                /** @description Only requests with this outcome */
                outcome?: "success" | "partial" | "failed";
                /** @description Only requests to this endpoint */
                endpoint?: "chat" | "responses" | "messages" | "embeddings";
                /** @description Only requests with this error code. The search is faster if outcome is set too */
                error?: string;
                /** @description Only requests for this end user */
                end_user?: string;
                /** @description Only requests from this client, see listTokenClients */
                client_id?: string;
                /** @description Only requests with this tag, as name=value. Repeat the parameter for requests that have several tags */
                tag?: string[];
                /** @description Start, inclusive */
                from?: string;
                /** @description End, exclusive */
                to?: string;
                /** @description Direction of the order. Defaults to asc if sort is set */
                order?: "asc" | "desc";
                /** @description What to sort by. Defaults to the newest requests first */
                sort?: "created_at";
                /** @description Only usage logs with a greater id than this one. A request gets its id when it begins, but its log appears when it ends. To miss no log, pass the id of a log that is some minutes old, and skip the logs that you already have */
                newer_than?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsageLog"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsageLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLogDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsageOverview: {
        parameters: {
            query?: {
                /** @description Start, inclusive, rounded down to the hour. Defaults to 30 days before to */
                from?: string;
                /** @description End, exclusive. Defaults to now */
                to?: string;
                /** @description Length of the time steps of series */
                bucket?: "hour" | "day";
                /** @description IANA name of the time zone whose days are the steps of series with bucket=day, as in getUsageSummary */
                zone?: string;
                /** @description Dimension of series. tenant is for operators */
                series?: "model" | "token" | "user" | "channel" | "tenant";
                /** @description Dimensions of breakdowns. tenant is for operators */
                by?: ("model" | "token" | "user" | "channel" | "tenant")[];
                /** @description Only usage of this tenant. For operators */
                tenant_id?: string;
                /** @description Only usage of this user */
                user_id?: string;
                /** @description Only usage of this token */
                token_id?: string;
                /** @description Only requests for which this channel responded last */
                channel_id?: string;
                /** @description Only usage of this model */
                model?: string;
                /** @description Greatest number of failures */
                failures?: number;
                /** @description Adds the usage by end user of the whole days (UTC) of the range, without the other filters than tenant_id. For admins, owners and, of the tenant tenant_id, operators */
                attribution?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageOverview"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsageSummary: {
        parameters: {
            query?: {
                /** @description Start, inclusive, rounded down to the hour. Defaults to 30 days before to */
                from?: string;
                /** @description End, exclusive. Defaults to now */
                to?: string;
                /** @description Length of the time steps; absent: one total for the range */
                bucket?: "hour" | "day";
                /** @description IANA name of the time zone whose days are the steps of bucket=day. A day begins with its first full hour in UTC, because usage is added up by the hour */
                zone?: string;
                /** @description Dimension to break the usage down by; absent: none. tenant is for operators */
                by?: "model" | "token" | "user" | "channel" | "tenant";
                /** @description Only usage of this tenant. For operators */
                tenant_id?: string;
                /** @description Only usage of this user */
                user_id?: string;
                /** @description Only usage of this token */
                token_id?: string;
                /** @description Only requests for which this channel responded last */
                channel_id?: string;
                /** @description Only usage of this model */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageSummary"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Error"];
                };
            };
        };
    };
}
