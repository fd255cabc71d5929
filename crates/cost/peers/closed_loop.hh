// SPDX-License-Identifier: MIT OR Apache-2.0
// The closed loop of src/closed_loop.rs around a fair queue of another project: each process keeps
// 8 requests going, the device takes 32 at a time and completes them in order, one each 10 µs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>

constexpr unsigned PROCESS_DEPTH = 8;
constexpr unsigned DEVICE_DEPTH = 32;
constexpr double STEP_S = 10e-6;

// A request: its process, and its place among all of them.
struct Request {
    std::uint32_t process;
    std::uint32_t place;
};

// Runs `program PROCESSES TURNS` and prints how many requests were served. Of a Peer are wanted:
// Peer(processes), insert(request, now_s), and dispatch(request, now_s), which says whether there
// was one.
template <class Peer>
int closed_loop(int count, char **arguments) {
    if (count != 3) {
        std::cerr << "expected PROCESSES TURNS\n";
        return 2;
    }
    const auto processes = static_cast<std::uint32_t>(std::atoi(arguments[1]));
    const auto turns = std::atoll(arguments[2]);
    // It is not taken down: requests wait in it, which not every queue allows at its end.
    Peer &peer = *new Peer(processes);
    double now_s = 1e6;
    for (std::uint32_t place = 0; place < processes * PROCESS_DEPTH; place++) {
        peer.insert(Request{place / PROCESS_DEPTH, place}, now_s);
    }
    std::deque<Request> in_device;
    const auto fill = [&] {
        Request next;
        while (in_device.size() < DEVICE_DEPTH && peer.dispatch(next, now_s)) {
            in_device.push_back(next);
        }
    };
    fill();
    long long served = 0;
    for (long long turn = 0; turn < turns; turn++) {
        now_s += STEP_S;
        if (!in_device.empty()) {
            const Request done = in_device.front();
            in_device.pop_front();
            served++;
            peer.insert(done, now_s);
        }
        fill();
    }
    std::cout << served << " requests\n";
    return 0;
}
