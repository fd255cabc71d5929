// SPDX-License-Identifier: MIT OR Apache-2.0
// Ceph's dmclock in the closed loop: its queue that is pulled from, each client with a weight of 1,
// no reservation and no limit.

#include "closed_loop.hh"
#include "dmclock_server.h"

namespace {

using Queue = crimson::dmclock::PullPriorityQueue<std::uint32_t, Request>;

class Peer {
    crimson::dmclock::ClientInfo info{0.0, 1.0, 0.0};
    Queue queue;

  public:
    explicit Peer(std::uint32_t) : queue([this](const std::uint32_t &) { return &info; }) {}

    void insert(const Request &request, double now_s) {
        queue.add_request_time(Request(request), request.process, {}, now_s);
    }

    bool dispatch(Request &request, double now_s) {
        auto pulled = queue.pull_request(now_s);
        if (!pulled.is_retn()) {
            return false;
        }
        request = *pulled.get_retn().request;
        return true;
    }
};

} // namespace

int main(int count, char **arguments) { return closed_loop<Peer>(count, arguments); }
