/* libmicrohttpd starts and answers by functions with variable arguments, which do not import. One call each. */
#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/* A server on the loopback interface alone, on a port that the kernel chooses; NULL: none can be had. */
static inline struct MHD_Daemon *lp_http_start(
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, void *context)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0, NULL, NULL, answer, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 600u, MHD_OPTION_END);
}

/* 0: unknown. */
static inline int lp_http_port(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* Sends bytes, which are copied. */
static inline int lp_http_answer(
    struct MHD_Connection *connection, unsigned status, const void *bytes, size_t length, const char *const *headers)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(length, (void *)bytes, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    for (; headers[0]; headers += 2)
        MHD_add_response_header(response, headers[0], headers[1]);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* MHD_lookup_connection_value by kind: the enumeration does not import as an option set. NULL: none. */
static inline const char *lp_http_header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static inline const char *lp_http_query(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}
